"""Testify: what a role answers without a model, in its language: the cards that were found, word for word, and whence."""

from collections.abc import Sequence

from whoknows.domain.case import HitCard
from whoknows.domain.script import Language, Place, Script


def testimony(script: Script, language: Language, cards: Sequence[HitCard]) -> str:
    """Every card is quoted with its place; without any, the role says that it does not know."""
    if language is Language.ZH:
        if not cards:
            return "我不知道。我自己的记忆和公告板上都没有查到。"
        return "我知道：\n" + "\n".join(f"“{c.content}”（{_source_zh(script, c)}）" for c in cards)
    if not cards:
        return "I do not know. There is nothing about it in my own memory or on the board."
    return "This I know:\n" + "\n".join(f"“{c.content}” ({_source_en(script, c)})" for c in cards)


def _source_zh(script: Script, card: HitCard) -> str:
    if card.place is Place.OWN:
        return "来自我自己的记忆"
    return "来自公告板" if card.origin is None else f"来自公告板，由{_name(script, Language.ZH, card.origin.agent_id)}公开"


def _source_en(script: Script, card: HitCard) -> str:
    if card.place is Place.OWN:
        return "from my own memory"
    if card.origin is None:
        return "from the board"
    return f"from the board, made public by {_name(script, Language.EN, card.origin.agent_id)}"


def _name(script: Script, language: Language, role: str) -> str:
    """As the play calls it; somebody who is in no script goes by the id."""
    found = script.role(role)
    return role if found is None else found.name.speak(language)
