"""A LangGraph store whose items are memories: governed, searched, and walled like any other."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from whoknows.client import ApiError, AsyncWhoKnows
from whoknows.client.answers import Memory
from whoknows.client.background import Background
from whoknows.integrations import store_filter
from whoknows.integrations.reach import key_of, needs, url_of
from whoknows.integrations.store_items import (
    DEEPEST,
    UNINDEXED,
    Place,
    Stored,
    item_of,
    item_tag,
    prefix_tag,
    store_tag,
    tags_of,
    text_of,
)

needs("langgraph", "langgraph")

from langgraph.store.base import (  # noqa: E402
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

__all__ = ["NotKept", "WhoKnowsStore"]

WITHIN = 30.0
"""Seconds that one batch may take."""
MOST = 10_000
"""Items that are looked through where the server cannot choose: for a filter of values, and for namespaces."""
MOST_HITS = 100
_PAGE = 200
_ATTEMPTS = 5
_AT_ONCE = 4
_LOG = logging.getLogger("whoknows")


class NotKept(Exception):
    """The gate held or refused what was put, or it could not be kept as it is."""


class WhoKnowsStore(BaseStore):
    """``create_agent(…, store=WhoKnowsStore(key=…))``. Without ``team_id`` the items are the key's own; with it, the team's.

    ``project_id``: all items belong to that project. ``store``: two stores of one key with different names are apart.
    A namespace is a row of tags; the value is kept as JSON, without what is secret. There is no TTL. Reads of a batch see
    what was there before it. Raises ApiError where the server refuses or cannot be reached, NotKept where the gate says no.
    """

    supports_ttl = False

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        agent: str | None = None,
        task: str | None = None,
        project_id: str | None = None,
        team_id: str | None = None,
        store: str = "langgraph",
        min_score: float = 0.0,
        within: float = WITHIN,
    ) -> None:
        self._background = Background(url_of(url), key=key_of(key), agent=agent, task=task)
        self._project = project_id
        self._team = team_id
        self._store = store
        self._min_score = min_score
        self._within = within
        self._acts_as: frozenset[str] | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._background.do(self._work(list(ops)), self._within)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._background.ado(self._work(list(ops)), self._within)

    def close(self) -> None:
        self._background.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _work(self, ops: Sequence[Op]) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, list[Result]]]:
        for op in ops:
            _check(op)

        async def work(wk: AsyncWhoKnows) -> list[Result]:
            if self._acts_as is None:
                self._acts_as = frozenset((await wk.whoami())["acts_as"])
            gate = asyncio.Semaphore(_AT_ONCE)

            async def one(op: Op) -> Result:
                async with gate:
                    return await self._read(wk, op)

            results = await asyncio.gather(*(one(op) for op in ops))
            last = {Place(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
            faults: list[Exception] = []
            for place, op in last.items():
                try:
                    await self._put(wk, place, op)
                except (ApiError, NotKept) as e:
                    faults.append(e)
            if faults:
                raise faults[0]
            return results

        return work

    async def _read(self, wk: AsyncWhoKnows, op: Op) -> Result:
        match op:
            case GetOp(namespace, key):
                found = await self._find(wk, Place(namespace, key))
                return None if found is None else Item(**_fields(found, Place(namespace, key)))
            case SearchOp():
                return await self._search(wk, op)
            case ListNamespacesOp():
                return await self._namespaces(wk, op)
            case _:
                return None

    async def _find(self, wk: AsyncWhoKnows, place: Place) -> Stored | None:
        there = [s async for s in self._items(wk, [item_tag(self._store, place)])]
        return max(there, key=lambda s: s.memory["updated_at"], default=None)

    async def _search(self, wk: AsyncWhoKnows, op: SearchOp) -> list[SearchItem]:
        tags = [prefix_tag(op.namespace_prefix)] if op.namespace_prefix else []
        items = self._hits(wk, op.query, tags) if op.query else self._unscored(wk, tags)
        kept: list[SearchItem] = []
        async for stored, score in items:
            if store_filter.lets_through(op.filter, stored.value):
                kept.append(SearchItem(**_fields(stored, stored.place), score=score))
                if len(kept) >= op.offset + op.limit:
                    break
        return kept[op.offset : op.offset + op.limit]

    async def _namespaces(self, wk: AsyncWhoKnows, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        wanted = op.match_conditions or ()
        found = {
            s.place.namespace[: op.max_depth]
            async for s in self._items(wk, [])
            if all(store_filter.is_meant(c.match_type, c.path, s.place.namespace) for c in wanted)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    async def _put(self, wk: AsyncWhoKnows, place: Place, op: PutOp) -> None:
        if op.value is None:
            async for there in self._items(wk, [item_tag(self._store, place)]):
                await wk.forget(there.memory["id"])
            return
        text, tags = text_of(self._store, place, op.value), tags_of(self._store, place, op.index is not False)
        for attempt in range(_ATTEMPTS):
            there = await self._find(wk, place)
            try:
                if there is None:
                    await self._create(wk, place, text, tags)
                elif there.memory["content"] != text or set(there.memory["tags"]) != set(tags):
                    after = await wk.edit(there.memory["id"], there.memory["version"], content=text, tags=tags)
                    _same(after, text)
            except ApiError as e:
                # Somebody was faster: the last one to put is the one that stands.
                if e.code not in ("version_conflict", "conflict", "not_found") or attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    async def _create(self, wk: AsyncWhoKnows, place: Place, text: str, tags: Sequence[str]) -> None:
        done = await wk.capture(
            text,
            title=place.title,
            tags=tags,
            subject=item_tag(self._store, place),  # two first puts at one moment become one item
            project_id=self._project,
            memory_type="private" if self._team is None else "team",
            team_id=self._team,
        )
        if done["outcome"] == "held":
            raise NotKept(f"{place.title}: it waits for somebody who may decide")
        _same(done["memory"], text)

    async def _items(self, wk: AsyncWhoKnows, tags: Sequence[str]) -> AsyncIterator[Stored]:
        """Newest first."""
        cursor, seen = None, 0
        while seen < MOST:
            page = await wk.list(
                limit=_PAGE, cursor=cursor, tags=[store_tag(self._store), *tags], project_id=self._project, team_id=self._team
            )
            seen += len(page["items"])
            for memory in page["items"]:
                if self._is_ours(memory) and (stored := item_of(memory)) is not None:
                    yield stored
            cursor = page["next_cursor"]
            if cursor is None:
                return
        _LOG.warning("memory: the store %s has more than %d items here: older ones were not looked at", self._store, MOST)

    async def _unscored(self, wk: AsyncWhoKnows, tags: Sequence[str]) -> AsyncIterator[tuple[Stored, float | None]]:
        async for stored in self._items(wk, tags):
            yield stored, None

    async def _hits(self, wk: AsyncWhoKnows, query: str, tags: Sequence[str]) -> AsyncIterator[tuple[Stored, float | None]]:
        found = await wk.recall(
            query,
            limit=MOST_HITS,
            min_score=self._min_score,
            tags=[store_tag(self._store), *tags],
            project_id=self._project,
            team_id=self._team,
        )
        for memory in found["memories"]:
            stored = item_of(memory)
            if stored is not None and self._is_ours(memory) and UNINDEXED not in memory["tags"]:
                yield stored, memory["score"]

    def _is_ours(self, memory: Memory) -> bool:
        """Of this store: not what another shared, published or injected under the same tags."""
        if memory["project_id"] != self._project or memory["injected_by"] is not None or memory["origin"] is not None:
            return False
        if self._team is not None:
            return memory["team_id"] == self._team
        return memory["memory_type"] == "private" and memory["author"] in (self._acts_as or ())


def _check(op: Op) -> None:
    match op:
        case PutOp():
            if op.ttl is not None:
                raise NotImplementedError("there is no TTL here: delete the item, or give its memory an expiry")
            if len(op.namespace) > DEEPEST:
                raise ValueError(f"a namespace has {DEEPEST} parts at most, this one has {len(op.namespace)}")
            if op.value is not None:
                text_of("", Place(op.namespace, op.key), op.value)
        case SearchOp():
            store_filter.checked(op.filter)
            if op.limit < 0 or op.offset < 0:
                raise ValueError("limit and offset are not negative")
        case _:
            pass


def _fields(stored: Stored, place: Place) -> Mapping[str, Any]:
    return {
        "namespace": place.namespace,
        "key": place.key,
        "value": stored.value,
        "created_at": datetime.fromisoformat(stored.memory["created_at"]),
        "updated_at": datetime.fromisoformat(stored.memory["updated_at"]),
    }


def _same(memory: Memory, text: str) -> None:
    if memory["content"] != text:
        if item_of(memory) is None:
            raise NotKept(f"{memory['title']}: without what looks like a secret in it, it is no item any more")
        _LOG.warning("memory: %s was kept without what looks like a secret in it", memory["title"])
