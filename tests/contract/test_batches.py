"""What a batch answers where its items, its embedder or the clock get in its way; and long texts that wait."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from whoknows.domain.memory import Draft, Filters, Patch
from whoknows.errors import EmbedderUnavailable, Invalid
from whoknows.flows.capture import CHUNK, IdempotencyKey
from whoknows.ports import Vector
from worlds import HashEmbedder, World

ONCE = IdempotencyKey("capture/batch", "once", "hash")


def _told(results: Sequence[object]) -> list[str]:
    return [getattr(r, "outcome", None) or getattr(r, "code", "") for r in results]


@pytest.mark.parametrize("once", [None, ONCE], ids=["plain", "repeatable"])
async def test_two_items_that_supersede_one_memory_do_not_stop_the_others(world: World, once: IdempotencyKey | None) -> None:
    await world.agents("A")
    old = await world.write("A", "the port is 1")
    drafts = [Draft("a note"), Draft("the port is 2", supersedes=old.id), Draft("the port is 3", supersedes=old.id)]
    results = await world.service.capture.batch(await world.caller("A"), drafts, once)
    assert _told(results) == ["stored", "superseding", "already_superseded"]


async def test_what_was_committed_before_the_embedder_failed_is_told_of(world: World, monkeypatch) -> None:
    await world.agents("A")
    calls = 0

    async def once(self: HashEmbedder, texts: Sequence[str]) -> Sequence[Vector]:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise EmbedderUnavailable
        return [await self.embed_question(t) for t in texts]

    monkeypatch.setattr(HashEmbedder, "embed_passages", once)
    caller = await world.caller("A")
    results = await world.service.capture.batch(caller, [Draft(f"note {n}") for n in range(CHUNK + 2)])
    assert _told(results) == ["stored"] * CHUNK + ["embedder_unavailable"] * 2
    assert len((await world.service.read.list(caller, Filters(), 200, None)).items) == CHUNK


async def test_what_expires_while_it_is_written_is_refused_and_stops_nothing_else(world: World, monkeypatch) -> None:
    await world.agents("A")
    end = datetime.now(UTC) + timedelta(seconds=0.2)

    async def slow(self: HashEmbedder, texts: Sequence[str]) -> Sequence[Vector]:
        await asyncio.sleep((end - datetime.now(UTC)).total_seconds() + 0.01)
        return [await self.embed_question(t) for t in texts]

    monkeypatch.setattr(HashEmbedder, "embed_passages", slow)
    drafts = [Draft("gone at once", expires_at=end), Draft("stays")]
    gone, stays = await world.service.capture.batch(await world.caller("A"), drafts)
    assert isinstance(gone, Invalid)
    assert gone.field == "expires_at"
    assert _told([stays]) == ["stored"]


async def test_a_batch_repeated_after_an_item_expired_is_answered_again(world: World) -> None:
    await world.agents("A")
    end = datetime.now(UTC) + timedelta(seconds=1)
    drafts = [Draft("soon gone", expires_at=end), Draft("stays")]
    caller = await world.caller("A")
    first = await world.service.capture.batch(caller, drafts, ONCE)
    await asyncio.sleep((end - datetime.now(UTC)).total_seconds() + 0.05)
    assert _told(await world.service.capture.batch(caller, drafts, ONCE)) == ["not_found", "stored"]
    assert _told(first) == ["stored", "stored"]


async def test_a_long_text_whose_tags_are_edited_meanwhile_still_gets_its_vectors(world: World) -> None:
    await world.agents("A")
    caller = await world.caller("A")
    waiting = await world.write("A", "A long text about ports. " * 200)
    assert waiting.embedding_pending
    await world.service.change.edit(caller, waiting.id, 1, Patch(tags=("ports",), named=frozenset({"tags"})))
    assert await world.service.work.embed(waiting.id) is True
    assert not (await world.service.read.get(caller, waiting.id)).embedding_pending
    assert await world.service.oversee.pending(caller) == 0
