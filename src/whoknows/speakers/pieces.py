"""The pieces of an answer as a compatible endpoint sends them, made into text; what is no answer raises ModelNonsense."""

from typing import Any, cast

from whoknows.errors import ModelNonsense, ModelUnavailable


class Pieces:
    """Takes the chunks of one answer, in their order.

    ``longest`` in characters: an answer that does not end is cut off there, with ModelNonsense.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._said = 0
        self._half = ""
        self._spoke = False
        self._finished = False
        self._wants_a_tool = False

    def of(self, chunk: Any) -> str:
        """What ``chunk`` adds, maybe nothing: some only say that the model is alive, or what it cost."""
        choice = _first(getattr(chunk, "choices", None))
        if choice is None:
            return ""
        delta: Any = getattr(choice, "delta", None)
        self._wants_a_tool |= bool(getattr(delta, "tool_calls", None))
        self._finished |= getattr(choice, "finish_reason", None) is not None
        text = getattr(delta, "content", None) or getattr(delta, "refusal", None)
        return self._added(text) if text else ""

    def end(self) -> str:
        """What was kept back, after the last chunk; raises where there was no answer, or not the whole of it."""
        rest, self._half = self._counted(_whole(self._half)), ""
        if self._spoke and not self._finished:
            raise ModelUnavailable("the model broke off in the middle of its answer")
        self._must_have_said_something()
        return rest

    def whole(self, answer: Any) -> str:
        """The text of an answer that came at once, as JSON."""
        message = answer["choices"][0]["message"]
        self._wants_a_tool = bool(message.get("tool_calls"))
        text = message.get("content") or message.get("refusal")
        piece = self._added(text) + self._counted(_whole(self._half)) if text else ""
        self._must_have_said_something()
        return piece

    def _added(self, text: Any) -> str:
        if not isinstance(text, str):
            raise ModelNonsense("the endpoint of the model answered with something that is no text")
        # Half a character may end one piece and the other half begin the next; NUL no database carries.
        text = (self._half + text).replace("\0", "")
        self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        return self._counted(_whole(text[: len(text) - len(self._half)]))

    def _counted(self, piece: str) -> str:
        self._said += len(piece)
        self._spoke |= bool(piece.strip())
        if self._said > self._longest:
            raise ModelNonsense("the answer of the model does not end: it was cut off")
        return piece

    def _must_have_said_something(self) -> None:
        if self._spoke:
            return
        if self._wants_a_tool:
            raise ModelNonsense("the model wants to call a tool, and there is none: choose another model")
        raise ModelNonsense("the model answered with nothing")


def _first(choices: Any) -> Any:
    return cast(list[Any], choices)[0] if isinstance(choices, list) and choices else None


def _whole(text: str) -> str:
    """``text`` with halves of characters joined, or replaced where the other half never came."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
