"""The distiller: judges the messages of a conversation, and says what each fact means to the memories that exist."""

from collections.abc import Sequence

from whoknows.distill.judge import Vectors, judge, texts_of
from whoknows.distill.model import Model, shipped
from whoknows.distill.updates import in_place_of, relate
from whoknows.domain.distilled import FactFound, Judgement, Known, Relation, Said

__all__ = ["Distiller", "Vectors"]


class Distiller:
    """Holds the trained weights, which belong to one embedder; beside another it goes by signals and words alone."""

    def __init__(self, embedder: str, model: Model | None = None) -> None:
        """``embedder``: the name of the one whose vectors are given. ``model``: other weights than those that are shipped."""
        self._model = shipped() if model is None else model
        self._sees = embedder == self._model.embedder

    def texts(self, messages: Sequence[Said]) -> list[str]:
        """The distinct texts whose vectors, embedded as passages, `judge_messages` looks up. None beside another embedder."""
        return list(dict.fromkeys(t for m in messages for t in texts_of(m))) if self._sees else []

    def judge_messages(self, messages: Sequence[Said], vectors: Vectors) -> list[Judgement]:
        """One judgement for each message, in order: each is judged by itself."""
        return [judge(self._model, m, vectors if self._sees else {}) for m in messages]

    def relate(self, fact: FactFound, said: Said, known: Sequence[Known], vectors: Vectors) -> Relation:
        """What ``fact``, found in the message ``said``, means to the memories ``known``: those of the account that may be
        about the same, in any order. ``vectors`` should have that of ``fact.text``."""
        return relate(self._model, fact, said, known, vectors.get(fact.text) if self._sees else None)

    def in_place_of(self, fact: FactFound, old: Known) -> FactFound:
        """``fact`` as it stands when it takes the place of ``old``: of the same type and reach."""
        return in_place_of(fact, old)
