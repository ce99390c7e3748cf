"""Any OpenAI-compatible chat endpoint, streaming; what goes wrong becomes one of five errors, and never holds a text."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, cast

from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AsyncStream,
    DefaultAsyncHttpxClient,
    OpenAIError,
    omit,
)
from pydantic_core import from_json

from whoknows.errors import ModelFault, ModelNonsense, ModelQuota, ModelRefusedKey, ModelTimeout, ModelUnavailable
from whoknows.ports.speaker import SpeechRequest
from whoknows.speakers.pieces import Pieces

_CHARACTERS_A_TOKEN = 16
"""More than any language has: an answer that is longer than its tokens allow has an endpoint that does not count."""
MOST_BYTES = 16 * 1024 * 1024
"""Of one response on the wire: far more than the longest answer needs, thoughts included."""
_CODE = re.compile(r"[a-z][a-z0-9_]{1,60}", re.ASCII)
_QUOTA_CODES = {"insufficient_quota", "rate_limit_exceeded", "quota_exceeded", "billing_hard_limit_reached"}


class OpenAISpeaker:
    def __init__(self, url: str, key: str, model: str) -> None:
        """``url`` empty: OpenAI's own. ``model`` speaks where a request names none."""
        # Nothing is tried twice here: what a model has begun to say may not be said again, and a caller is waiting.
        # Hence a connection of its own for each answer: a kept one may be gone by then.
        # Nobody else is sent to either: an endpoint is where the installation says that it is.
        self._client = AsyncOpenAI(
            base_url=url or None,
            api_key=key or "none",
            max_retries=0,
            default_headers={"Connection": "close", "Accept-Encoding": "identity"},
            http_client=DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [_bounded]}),
        )
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    @property
    def address(self) -> str:
        return str(self._client.base_url)

    async def stream(self, request: SpeechRequest) -> AsyncGenerator[str]:
        until = time.monotonic() + request.deadline
        pieces = Pieces(request.most_tokens * _CHARACTERS_A_TOKEN)
        try:
            stream = await _in_time(self._begun(request), request.patience, until)
            try:
                if "json" in stream.response.headers.get("content-type", ""):  # it cannot stream, and answers at once
                    body = await _in_time(stream.response.aread(), request.patience, until)
                    yield pieces.whole(from_json(body))
                    return
                chunks = aiter(cast(AsyncIterator[Any], stream))
                while True:
                    chunk = await _in_time(anext(chunks, None), request.patience, until)
                    if chunk is None:
                        break
                    if piece := pieces.of(chunk):
                        yield piece
                if rest := pieces.end():
                    yield rest
            finally:
                await stream.close()
        except ModelFault:
            raise
        except (APITimeoutError, TimeoutError) as fault:
            raise ModelTimeout from fault
        except APIConnectionError as fault:
            if isinstance(fault.__cause__, ModelFault):
                raise fault.__cause__ from None
            raise ModelUnavailable("the endpoint of the model cannot be reached, or broke off in the middle") from fault
        except APIStatusError as fault:
            raise _refused(fault) from fault
        except APIError as fault:
            raise _told_in_the_stream(fault) from fault
        except (OpenAIError, ValueError, TypeError, AttributeError, LookupError, RecursionError) as fault:
            raise ModelNonsense("what the endpoint of the model sent is no answer of a chat model") from fault

    async def close(self) -> None:
        await self._client.close()

    async def _begun(self, request: SpeechRequest) -> AsyncStream[Any]:
        # Models that think count their thoughts, and know only the newer name; others know only the older one.
        limit: dict[str, Any] = (
            {"max_tokens": request.most_tokens} if request.effort is None else {"max_completion_tokens": request.most_tokens}
        )
        return await self._client.chat.completions.create(
            model=request.model or self._model,
            messages=[cast(Any, {"role": t.role, "content": t.content}) for t in request.turns],
            reasoning_effort=omit if request.effort is None else request.effort.value,
            stream=True,
            timeout=request.patience,
            **limit,
        )


async def _bounded(response: Any) -> None:
    """Nothing that an endpoint sends is read without an end, neither as it is nor unpacked."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ModelNonsense("the endpoint of the model packs its answers, although it is asked not to")
    sent, read = 0, response.aiter_raw

    async def counted(chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        nonlocal sent
        async for piece in read(chunk_size):
            sent += len(piece)
            if sent > MOST_BYTES:
                raise ModelNonsense("the answer of the model does not end: it was cut off")
            yield piece

    response.aiter_raw = counted


async def _in_time(work: Any, patience: float, until: float) -> Any:
    async with asyncio.timeout(min(patience, until - time.monotonic())):
        return await work


def _refused(fault: APIStatusError) -> ModelFault:
    code = _code_of(fault)
    told = f" ({code})" if code else ""
    match fault.status_code:
        case 401 | 403:
            return ModelRefusedKey()
        case 402 | 429:
            return ModelQuota(retry_after=_retry_after(fault))
        case _ if code in _QUOTA_CODES:
            return ModelQuota(retry_after=_retry_after(fault))
        case 408 | 504:
            return ModelTimeout()
        case status if status >= 500:
            return ModelUnavailable(f"the endpoint of the model answered {status}{told}", retry_after=_retry_after(fault))
        case status:
            return ModelUnavailable(
                f"the endpoint of the model refused the request with {status}{told}: see WHOKNOWS_MODEL, WHOKNOWS_MODEL_URL, "
                "and the model chosen for this conversation"
            )


def _told_in_the_stream(fault: APIError) -> ModelFault:
    code = _code_of(fault)
    if code in _QUOTA_CODES:
        return ModelQuota()
    return ModelUnavailable(f"the endpoint of the model ended its answer with an error{f' ({code})' if code else ''}")


def _code_of(fault: APIError) -> str | None:
    """A word that says what it is, if there is one; never a message, which may quote what was asked."""
    for word in (fault.code, fault.type):
        if isinstance(word, str) and _CODE.fullmatch(word):
            return word
    return None


def _retry_after(fault: APIStatusError) -> float | None:
    try:
        seconds = float(fault.response.headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return min(seconds, 24 * 3600.0) if seconds >= 0 else None
