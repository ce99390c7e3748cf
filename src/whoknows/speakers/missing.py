"""Stands for the speaker of roles where its library is not installed: it never speaks, and says why."""

from collections.abc import Sequence

from whoknows.domain.case import HitCard
from whoknows.domain.script import Language, RoleText
from whoknows.errors import SpeakerMissing


class MissingRoleSpeaker:
    async def speak(self, role: RoleText, language: Language, question: str, cards: Sequence[HitCard]) -> str:  # noqa: ARG002
        raise SpeakerMissing
