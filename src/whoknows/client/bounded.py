"""Answers of sane size: whatever answers in place of a server, the memory of a program is not filled by it."""

from collections.abc import AsyncIterator, Iterator

import httpx

from whoknows.client.errors import ApiError

MOST = 64 << 20
"""Bytes of an answer, unpacked. A page of two hundred memories of the largest size stays far below."""


def answered(client: httpx.Client, request: httpx.Request, most: int = MOST) -> httpx.Response:
    """The whole answer. ApiError ``answer_too_large``, and what httpx raises."""
    response = client.send(request, stream=True)
    try:
        parts = _Parts(most)
        chunks: Iterator[bytes] = response.iter_bytes()
        for part in chunks:
            parts.add(part)
    finally:
        response.close()
    return parts.answer(response, request)


async def answered_later(client: httpx.AsyncClient, request: httpx.Request, most: int = MOST) -> httpx.Response:
    """The same, awaited."""
    response = await client.send(request, stream=True)
    try:
        parts = _Parts(most)
        chunks: AsyncIterator[bytes] = response.aiter_bytes()
        async for part in chunks:
            parts.add(part)
    finally:
        await response.aclose()
    return parts.answer(response, request)


class _Parts:
    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._most:
            raise ApiError(0, "answer_too_large", f"the answer has more than {self._most >> 20} MiB: that is no WhoKnows")
        self._parts.append(part)

    def answer(self, response: httpx.Response, request: httpx.Request) -> httpx.Response:
        headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in _OF_THE_WIRE]
        return httpx.Response(response.status_code, headers=headers, content=b"".join(self._parts), request=request)


_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""How it came here; it is unpacked now."""
