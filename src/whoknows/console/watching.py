"""Who watches a stage from this process: sessions whose stream is open, and which each reading of the case checks again."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

from whoknows.domain.session import Session
from whoknows.flows.authenticate import secret_hash

T = TypeVar("T")


class Watching:
    """Found here, a session need not be looked up by its token; whether it still lives is for the flow to see."""

    def __init__(self) -> None:
        self._streams: dict[bytes, list[Session]] = {}

    def find(self, token: str | None) -> Session | None:
        streams = self._streams.get(secret_hash(token)) if token else None
        return streams[-1] if streams else None

    async def through(self, token: str, session: Session, found: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """What is ``found``; as long as that is read, the session watches."""
        key = secret_hash(token)
        streams = self._streams.setdefault(key, [])
        streams.append(session)
        try:
            async with aclosing(found):
                async for event in found:
                    yield event
        finally:
            streams.pop()
            if not streams:
                self._streams.pop(key, None)
