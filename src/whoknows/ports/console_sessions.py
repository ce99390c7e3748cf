"""The gateway of sessions of the web console, each its own credential's alone."""

from collections.abc import Collection, Sequence
from enum import Enum
from typing import Final, Protocol
from uuid import UUID

from whoknows.domain.credential import Credential
from whoknows.domain.ids import CredentialId
from whoknows.domain.session import Session, SessionId


class Keep(Enum):
    """What is not named stays as it is; None ends it."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


class ConsoleSessions(Protocol):
    """Finding one by its token is the store's: whoever asks is nobody yet."""

    async def open(self, credential: Credential, session: SessionId, token_hash: bytes) -> Session | None:
        """None where the credential has ended meanwhile. Of a credential's sessions the newest 50 stay."""
        ...

    async def choose(
        self, session: Session, acting: str | Keep | None, eyes: str | Keep | None, project: str | Keep | None
    ) -> Session | None:
        """None where the session has ended meanwhile."""
        ...

    async def close(self, session: SessionId) -> None: ...
    async def living(self, keys: Sequence[CredentialId], sessions: Sequence[SessionId]) -> Collection[UUID]:
        """Those of the caller's tenant, out of these, that are live at this moment."""
        ...
