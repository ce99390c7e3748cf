"""How far a script has been played, and whether what it suggested turned out as it expects: no page, no clock."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from whoknows.domain.case import Answer, Case, CaseView
from whoknows.domain.memory import Memory
from whoknows.domain.script import AskStep, Language, PublishStep, Script, Step, WhisperStep


class Mark(StrEnum):
    """What became of a step."""

    HELD = "y"
    OTHERWISE = "n"
    SKIPPED = "s"


@dataclass(frozen=True, slots=True)
class Progress:
    """The marks of the steps that are behind us, in their order."""

    marks: tuple[Mark, ...] = ()

    def then(self, mark: Mark) -> "Progress":
        return Progress((*self.marks, mark))

    @property
    def held(self) -> int:
        return self.marks.count(Mark.HELD)


@dataclass(frozen=True, slots=True)
class StepView:
    """A step as the table shows it: ``role`` is asked, whispered to, or publishes; ``text`` is said or published."""

    number: int
    kind: str
    role: str
    text: str
    expect: str
    """A key of the words: what the script expects."""
    mark: Mark | None


_WRITTEN = re.compile(r"([a-z0-9-]{1,64})\.([0-9]{1,16})\.([yns]{0,200})", re.ASCII)


def read(kept: str | None, case: Case, script: Script) -> Progress:
    """What the browser kept of this very play; of another case, or from before it began again, nothing."""
    found = _WRITTEN.fullmatch(kept or "")
    if found is None or (found[1], found[2]) != (case.name, _began(case)):
        return Progress()
    return Progress(tuple(Mark(m) for m in found[3][: len(script.steps)]))


def written(progress: Progress, case: Case) -> str:
    return f"{case.name}.{_began(case)}.{''.join(progress.marks)}"


def steps_of(script: Script, language: Language, progress: Progress) -> list[StepView]:
    marks = [*progress.marks, *[None] * len(script.steps)]
    return [_view(n, step, script, language, marks[n]) for n, step in enumerate(script.steps)]


def answered_as_expected(step: AskStep, answer: Answer, script: Script, language: Language) -> bool:
    """Known or not as the script says, and where it names a card: that card first, and from that place."""
    if answer.knowledge != step.expect:
        return False
    if step.card is None:
        return True
    best = answer.hits[0] if answer.hits else None
    texts = {card.text.speak(language) for _, card in script.cards() if card.id == step.card}
    return best is not None and best.content in texts and step.place in (None, best.place)


def card_named(view: CaseView, card: str) -> Memory | None:
    """The private card that the script calls so; None where nobody has it any more."""
    return next((c.memory for r in view.roles for c in r.cards if c.card == card), None)


def copied_once(board: Sequence[Memory], original: Memory) -> bool:
    return [m.origin is not None and m.origin.memory_id == original.id for m in board].count(True) == 1


def _view(number: int, step: Step, script: Script, language: Language, mark: Mark | None) -> StepView:
    match step:
        case WhisperStep(role, card):
            return StepView(number, "whisper", role, card.text.speak(language), "whispered", mark)
        case AskStep(role, question, expect, _, place):
            expected = str(expect) if place is None else f"{expect}_{place}"
            return StepView(number, "ask", role, question.speak(language), expected, mark)
        case PublishStep(card):
            role, text = next((r, c.text.speak(language)) for r, c in script.cards() if c.id == card)
            return StepView(number, "publish", role, text, "one_copy", mark)


def _began(case: Case) -> str:
    return str(int((case.reset_at or case.founded_at).timestamp() * 1000))
