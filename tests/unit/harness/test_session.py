"""A session: what stands in it, what was compacted away, and how its beginnings are told apart."""

from datetime import UTC, datetime, timedelta

from whoknows.domain.harness import HookEvent, Outcome
from whoknows.domain.hook_exchange import Given
from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.harness.events import Source
from whoknows.harness.session import Stands, present, prompt_of, start_turn, stood, was_told

A, B, C = (new_memory_id() for _ in range(3))
BEGAN = datetime(2026, 1, 31, tzinfo=UTC)


def at(minutes: int) -> datetime:
    return BEGAN + timedelta(minutes=minutes)


def prompt(turn: str, minutes: int, *memories: MemoryId, reason: str | None = None) -> Given:
    return Given(HookEvent.PROMPT, turn, memories, at(minutes), Outcome.INJECTED if memories else Outcome.NOTHING, reason)


def start(turn: str, minutes: int, *memories: MemoryId) -> Given:
    return Given(HookEvent.SESSION_START, turn, memories, at(minutes), Outcome.INJECTED)


def test_what_was_put_in_stands_there() -> None:
    given = [prompt("t2", 2, B), prompt("t1", 1, A)]
    assert present(given, "t3") == {A: Stands(at(1), True), B: Stands(at(2), True)}


def test_the_turn_itself_counts_as_not_having_been() -> None:
    assert set(present([prompt("t2", 2, B), prompt("t1", 1, A)], "t1")) == {B}


def test_a_line_of_a_brief_is_not_the_whole_of_it() -> None:
    assert present([prompt("t1", 2, A), start("startup", 1, A, B)], "t2") == {A: Stands(at(2), True), B: Stands(at(1), False)}
    assert present([start("compact:t1", 2, A), prompt("t1", 1, A)], "t2") == {A: Stands(at(2), False)}


def test_after_compaction_what_stood_before_is_gone() -> None:
    given = [prompt("t3", 4, C), start("compact:t2", 3, B), prompt("t2", 2, B), prompt("t1", 1, A)]
    assert set(present(given, "t4")) == {B, C}
    assert stood(given, "compact:t3") == [C, B]
    assert stood(given[1:], "compact:t2") == [B, A]


def test_what_a_sub_agent_got_stands_elsewhere() -> None:
    assert present([Given(HookEvent.SUBAGENT_START, "a", (A,), at(1))], "t") == {}


def test_two_compactions_with_a_turn_between_them_are_two() -> None:
    first = [prompt("t1", 1, A)]
    second = [prompt("t2", 3), start("compact:t1", 2, A), *first]
    assert start_turn(Source.COMPACT, first) == start_turn(Source.COMPACT, second[1:]) == "compact:t1"
    assert start_turn(Source.COMPACT, second) == "compact:t2"
    assert start_turn(Source.STARTUP, second) == "startup"


def test_a_person_is_told_once() -> None:
    assert not was_told([prompt("t1", 1)], "embedder_unavailable")
    assert was_told([prompt("t2", 2), prompt("t1", 1, reason="embedder_unavailable")], "embedder_unavailable")


def test_the_prompt_of_a_turn_is_found() -> None:
    given = [prompt("t2", 2), start("t1", 1), prompt("t1", 1, A)]
    assert prompt_of(given, "t1") == given[2]
    assert prompt_of(given, "t9") is None
