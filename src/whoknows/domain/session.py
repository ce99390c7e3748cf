"""Sessions: who is signed in to the web console, by which key."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType
from uuid import UUID

from whoknows.domain.credential import Credential
from whoknows.domain.ids import uuid7

SessionId = NewType("SessionId", UUID)


def new_session_id() -> SessionId:
    return SessionId(uuid7())


@dataclass(frozen=True, slots=True)
class Session:
    """Worth exactly its credential, and over with it; after 12 hours without a request, and after 7 days in any case.

    ``acting`` is the principal that was chosen and ``eyes`` the one that is looked through, as spaces: ``agent:wukong``.
    """

    id: SessionId
    credential: Credential
    acting: str | None
    eyes: str | None
    project: str | None
    expires_at: datetime
