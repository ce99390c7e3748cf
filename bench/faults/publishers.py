"""Publishers that ask over both servers until they are answered, and keep what they were told."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

_PAUSE = 0.1
"""Seconds before the other server is asked, where one is away."""


@dataclass
class Publishers:
    """``at_once`` requests are under way; each publish begins at one of the servers in turn, and ends with 200 or 201."""

    urls: Sequence[str]
    key: str
    at_once: int
    first: Counter[str] = field(default_factory=Counter[str])
    """By original: answers 201."""
    copies: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """By original: ids of the copies that were answered."""
    answered: int = 0
    told_to_wait: int = 0
    turned_away: int = 0
    cut_off: int = 0
    unexpected: Counter[str] = field(default_factory=Counter[str])

    async def publish(self, originals: Sequence[str], team: str) -> None:
        """All of ``originals``, as often as they stand there."""
        begin = itertools.cycle(range(len(self.urls)))
        room = asyncio.Semaphore(self.at_once)
        headers = {"Authorization": f"Bearer {self.key}"}
        limits = httpx.Limits(max_connections=self.at_once, max_keepalive_connections=self.at_once)
        async with httpx.AsyncClient(headers=headers, timeout=30, limits=limits) as client:
            await asyncio.gather(*(self._one(client, room, original, team, next(begin)) for original in originals))

    async def _one(self, client: httpx.AsyncClient, room: asyncio.Semaphore, original: str, team: str, server: int) -> None:
        while True:
            wait = _PAUSE
            async with room:
                try:
                    path = f"{self.urls[server]}/api/v1/memories/{original}/publish"
                    answer = await client.post(path, json={"team_id": team})
                except httpx.TransportError:
                    self.cut_off += 1
                    server = (server + 1) % len(self.urls)
                    answer = None
            if answer is not None:
                if answer.status_code in (200, 201):
                    break
                wait = float(answer.headers.get("retry-after", "0.2"))
                if answer.status_code == 409 and answer.json()["code"] == "publication_pending":
                    self.told_to_wait += 1
                elif answer.status_code == 503:  # a thousand at once are more than two cores serve
                    self.turned_away += 1
                else:
                    self.unexpected[f"{answer.status_code} {answer.text[:160]}"] += 1
                    wait = min(wait, 1.0)
            await asyncio.sleep(wait)
        self.answered += 1
        self.first[original] += answer.status_code == 201
        self.copies.setdefault(original, set()).add(answer.json()["memory"]["id"])
