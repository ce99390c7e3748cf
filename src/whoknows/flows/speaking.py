"""Speaking: a model is asked, and its whole answer is waited for."""

from contextlib import aclosing

from whoknows.ports import Speaker, SpeechRequest


async def answer_of(speaker: Speaker, request: SpeechRequest) -> str:
    """The answer in one piece. Raises a ModelFault where it breaks off."""
    async with aclosing(speaker.stream(request)) as pieces:
        return "".join([piece async for piece in pieces])
