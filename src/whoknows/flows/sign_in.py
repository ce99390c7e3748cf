"""Sign in: a secret → a session of the web console, and from its token the caller of each request."""

import secrets
from dataclasses import dataclass

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.session import Session, new_session_id
from whoknows.errors import Forbidden, NotYourAgent, Unauthenticated
from whoknows.flows.authenticate import Authenticate, act_as, administer_as, secret_hash
from whoknows.flows.limits import Limits, clean, label
from whoknows.ports import KEEP, Keep, Store

__all__ = ["KEEP", "SignIn"]

_NOT_SIGNED_IN = "you are not signed in, or no longer: sign in with a key"


@dataclass(frozen=True, slots=True)
class SignIn:
    store: Store
    authenticate: Authenticate
    limits: Limits

    async def open(self, secret: str | None) -> tuple[str, Session]:
        """The token of a new session, which is nowhere else, and the session. Unauthenticated as Authenticate is."""
        credential = await self.authenticate(secret)
        token = secrets.token_urlsafe(32)
        async with self.store.write(administer_as(credential)) as tx:
            session = await tx.console_sessions.open(credential, new_session_id(), secret_hash(token))
        if session is None:
            raise Unauthenticated
        return token, session

    async def find(self, token: str | None) -> Session:
        """The live session of ``token``; Unauthenticated for none, an unknown and an ended one, alike."""
        session = await self._found(token)
        if session is None:
            raise Unauthenticated(_NOT_SIGNED_IN)
        return session

    async def choose(
        self,
        session: Session,
        *,
        acting: str | Keep | None = KEEP,
        eyes: str | Keep | None = KEEP,
        project: str | Keep | None = KEEP,
    ) -> Session:
        """Who acts, through whose eyes is read, and in which project; what is not named stays, and None ends it.

        ``acting`` is a space of the credential (``agent:wukong``), or NotYourAgent; ``eyes`` need ``inspect``.
        """
        if isinstance(acting, str):
            acting = _own(session.credential, acting)
        if isinstance(eyes, str):
            eyes = (await self.authenticate.eyes(session.credential, clean(eyes, "eyes"), "eyes")).space
        if isinstance(project, str):
            label(project, self.limits.label, "project")
            self.limits.redaction.names(project=project)
        async with self.store.write(administer_as(session.credential)) as tx:
            chosen = await tx.console_sessions.choose(session, acting, eyes, project)
        if chosen is None:
            raise Unauthenticated(_NOT_SIGNED_IN)
        return chosen

    async def close(self, token: str | None) -> None:
        """Sign out. A session that is none, or over, needs no end."""
        session = await self._found(token)
        if session is not None:
            async with self.store.write(administer_as(session.credential)) as tx:
                await tx.console_sessions.close(session.id)

    def caller(self, session: Session, task: str | None = None) -> Caller:
        """Who acts: the principal that was chosen, or the only one. With the eyes of another, one only reads: Forbidden."""
        return act_as(own_eyes(session).credential, session.acting, task=task)

    async def reader(self, session: Session, route: str, task: str | None = None) -> Caller:
        """Who reads: the one whose eyes are used, noted in the audit trail under ``route``, a pattern; else who acts."""
        if session.eyes is None:
            return self.caller(session, task)
        return await self.authenticate.seen_as(session.credential, session.eyes, route, task)

    async def _found(self, token: str | None) -> Session | None:
        if not token or not token.isascii() or len(token) > 512:
            return None
        return await self.store.find_session(secret_hash(token))


def own_eyes(session: Session) -> Session:
    """Raises Forbidden while ``session`` sees with the eyes of another."""
    if session.eyes is not None:
        told = "with the eyes of another, one only reads: be yourself again, then do it; nothing was changed"
        raise Forbidden(told, reason_code="seen_as_reads_only")
    return session


def _own(credential: Credential, space: str) -> str:
    if all(p.space != space for p in credential.acts_as):
        raise NotYourAgent(field="acting")
    return space
