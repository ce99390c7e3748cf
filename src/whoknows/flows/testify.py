"""Testify: what a role answers without a model, in its language: the cards that were found, word for word, and whence."""

from collections.abc import Sequence

from whoknows.domain.case import HitCard
from whoknows.domain.script import Language, Place


def testimony(language: Language, cards: Sequence[HitCard]) -> str:
    """Every card is quoted with its place; without any, the role says that it does not know."""
    if language is Language.ZH:
        if not cards:
            return "我不知道。我自己的记忆和公告板上都没有查到。"
        return "我知道：\n" + "\n".join(f"“{c.content}”（{_source_zh(c)}）" for c in cards)
    if not cards:
        return "I do not know. There is nothing about it in my own memory or on the board."
    return "This I know:\n" + "\n".join(f"“{c.content}” ({_source_en(c)})" for c in cards)


def _source_zh(card: HitCard) -> str:
    if card.place is Place.OWN:
        return "来自我自己的记忆"
    return "来自公告板" if card.origin is None else f"来自公告板，由 {card.origin.agent_id} 公开"


def _source_en(card: HitCard) -> str:
    if card.place is Place.OWN:
        return "from my own memory"
    return "from the board" if card.origin is None else f"from the board, made public by {card.origin.agent_id}"
