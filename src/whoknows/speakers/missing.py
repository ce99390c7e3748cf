"""Stands for the speaker of roles where its library is not installed: it never speaks, and says why."""

from collections.abc import Sequence

from whoknows.domain.case import HitCard
from whoknows.domain.script import Language, RoleText
from whoknows.errors import SpeakerMissing
from whoknows.policy.egress import EgressGrant


class MissingRoleSpeaker:
    async def speak(
        self,
        grant: EgressGrant,  # noqa: ARG002
        role: RoleText,  # noqa: ARG002
        language: Language,  # noqa: ARG002
        question: str,  # noqa: ARG002
        cards: Sequence[HitCard],  # noqa: ARG002
    ) -> str:
        raise SpeakerMissing
