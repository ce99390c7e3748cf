"""The composed context cut into segments: together they are the text, and each knows where it comes from."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from whoknows.console.pages.prompts.segments import causes_of, segments_of
from whoknows.context.assemble import assemble
from whoknows.context.budget import Budget
from whoknows.context.bundle import Bundle, Dropped, PartName
from whoknows.context.layers import Layers, MemoryText, Runtime
from whoknows.domain.answer_mode import AnswerMode

WORDS = st.text(alphabet="ab `\n\r<&记。", max_size=40)


def composed(prompts: tuple[str, str, str], memories: list[str], message: str, room: int = 6000) -> Bundle:
    now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    cards = [MemoryText(f"m-{n}", text, None, "fact", "member:mira", now) for n, text in enumerate(memories)]
    runtime = Runtime(now, "UTC", "boss", None, "member:mira", None, (), None, None, AnswerMode.EVIDENCE)
    layers = Layers(*prompts, cards[: len(cards) // 2], cards[len(cards) // 2 :], runtime, message)
    return assemble(layers, Budget(room, 32_000), len)


@given(st.tuples(WORDS, WORDS, WORDS), st.lists(WORDS.filter(bool), max_size=6), WORDS, st.sampled_from((0, 300, 6000)))
def test_the_segments_side_by_side_are_the_composed_text(
    prompts: tuple[str, str, str], memories: list[str], message: str, room: int
) -> None:
    bundle = composed(prompts, memories, message, room)
    assert "".join(s.text for s in segments_of(bundle)) == bundle.composed


def test_each_memory_has_a_segment_of_its_own_with_its_id() -> None:
    bundle = composed(("g", "u", "c"), ["one", "two", "three"], "now?")
    segments = segments_of(bundle)
    assert [s.memory for s in segments if s.memory] == list(bundle.memories)
    for s in segments:
        if s.memory is not None:
            assert f"memory {s.memory} " in s.text
    assert [s.part for s in segments if s.begins] == [p.name for p in bundle.parts if p.text]


def test_a_line_break_of_another_kind_is_written_so_that_a_browser_leaves_it_alone() -> None:
    [*_, last] = segments_of(composed(("", "", ""), [], "a\r\nb<c>"))
    assert last.exactly == "a&#13;\nb&lt;c&gt;"


def test_every_reason_of_the_assembly_is_known_here() -> None:
    long = "x" * 900
    bundle = composed(("g", long, long), ["same", "same", "y" * 700, *(f"m{n}" * 30 for n in range(20))], "now?", 800)
    assert {c.key for c in causes_of(bundle.dropped)} == {"cut", "no_room", "too_long", "same_words"}
    kept_back = Dropped("m", PartName.USER_MEMORIES, "egress_forbidden: member:mira keeps its texts on this machine")
    [cause] = causes_of(
        [
            kept_back,
        ]
    )
    assert (cause.key, cause.figures) == ("egress", {"bank": "member:mira"})
    assert causes_of([Dropped("m", PartName.MESSAGE, "something new")])[0].key is None
