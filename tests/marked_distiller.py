"""A double of the distiller: it takes no guess, it reads marks. What is tested with it is what happens around a judgement.

A line ``decision/project: server = srv-4`` is a fact of that type and scope. Two facts with the same name before the ``=`` are
about the same: with the same value a repeat, with another one an update, and with one that ends in "rest stays" one in part.
"""

import re
from collections.abc import Sequence

from whoknows.distill.distiller import Distiller, Vectors
from whoknows.domain.distilled import FactFound, Judgement, Known, New, Reach, Relation, Said, Same, Skip, Updates
from whoknows.domain.memory import Category

_FACT = re.compile(r"^(\w+)/(global|project): (.+)$", re.MULTILINE)


class MarkedDistiller(Distiller):
    def __init__(self) -> None:
        self.judged: list[Said] = []
        """Every message that was judged, so that a test can look at what came that far."""

    def texts(self, messages: Sequence[Said]) -> list[str]:
        return []

    def in_place_of(self, fact: FactFound, old: Known) -> FactFound:
        return fact

    def judge_messages(self, messages: Sequence[Said], vectors: Vectors, before: Sequence[Said] = ()) -> list[Judgement]:
        self.judged += messages
        return [_judgement(m) for m in messages]

    def relate(self, fact: FactFound, said: Said, known: Sequence[Known], vectors: Vectors) -> Relation:
        name, _, value = fact.text.partition(" = ")
        for k in known:
            its_name, _, its_value = k.text.partition(" = ")
            if its_name == name:
                return Same(k.id) if its_value == value else Updates(k.id, in_part=value.endswith("rest stays"))
        return New()


def _judgement(m: Said) -> Judgement:
    facts = tuple(
        FactFound(f[3], f[3], f.start(3), f.end(3), Category(f[1]), Reach(f[2]), 1.0) for f in _FACT.finditer(m.content)
    )
    return Judgement(m.id, facts, None if facts else Skip.NOTHING_LASTING)
