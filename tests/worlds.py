"""Worlds for the tests: people, agents and teams in a few words, and an embedder without a model."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from whoknows.bootstrap import Installation
from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.memory import Draft, Memory
from whoknows.domain.principal import AgentRole, Clearance, GateLevel, TeamRole
from whoknows.flows.administer import NewAgent
from whoknows.flows.authenticate import act_as
from whoknows.flows.recall import Question, Recollection
from whoknows.ports import Vector
from whoknows.recall.tokens import text_terms
from whoknows.service import Service

DIMENSIONS = 384


class HashEmbedder:
    """An honest fake: the words of a text, hashed into 384 dimensions. Texts that share words are near."""

    name = "test"
    dimensions = DIMENSIONS
    address: str | None = None

    async def embed_question(self, text: str) -> Vector:
        return self._vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self._vector(t) for t in texts]

    async def close(self) -> None:
        return None

    def _vector(self, text: str) -> Vector:
        values = [1e-3] * DIMENSIONS
        for term, n in text_terms(text).items():
            digest = hashlib.blake2b(term.encode(), digest_size=8).digest()
            values[int.from_bytes(digest[:4]) % DIMENSIONS] += n if digest[4] & 1 else -n
        length = math.sqrt(sum(v * v for v in values))
        return [v / length for v in values]


@dataclass
class World:
    """``await world.agents("A", "B")`` and so on; every agent and member gets a key of its own."""

    service: Service
    installation: Installation
    keys: dict[str, str] = field(default_factory=dict)

    async def admin(self) -> Credential:
        return await self.service.authenticate(self.installation.new_key)

    async def agents(
        self,
        *names: str,
        role: AgentRole = AgentRole.MAIN,
        parent: str | None = None,
        account: str | None = None,
        clearance: Clearance = Clearance.OPEN,
    ) -> None:
        admin = await self.admin()
        for name in names:
            await self.service.administer.make_agent(admin, NewAgent(name, role, parent, account, clearance))
            await self.key(name)

    async def members(self, *names: str) -> None:
        admin = await self.admin()
        for name in names:
            await self.service.administer.make_member(admin, name, None)
            await self.key(f"member:{name}")

    async def key(self, *acts_as: str, permissions: Sequence[Permission] = (), task: str | None = None) -> str:
        """A key; the first one for a principal is remembered as its own."""
        made = await self.service.keys.make(await self.admin(), acts_as, permissions, task, None)
        self.keys.setdefault(acts_as[0] if acts_as else made.secret, made.secret)
        return made.secret

    async def team(self, name: str, gate: GateLevel = GateLevel.OPEN, **roles: str) -> None:
        """``await world.team("T", A="writer", B="reader")``."""
        admin = await self.admin()
        if name != "*":
            await self.service.administer.make_team(admin, name, None, gate, False)
        for who, role in roles.items():
            await self.join(name, who, role)

    async def join(self, team: str, who: str, role: str = "writer") -> None:
        principal = who if ":" in who else f"agent:{who}"
        await self.service.administer.put_membership(await self.admin(), team, principal, TeamRole(role))

    async def expel(self, team: str, who: str) -> None:
        principal = who if ":" in who else f"agent:{who}"
        await self.service.administer.drop_membership(await self.admin(), team, principal)

    async def caller(self, who: str, secret: str | None = None) -> Caller:
        return act_as(await self.service.authenticate(secret or self.keys[who]), None)

    async def write(self, who: str, text: str, **fields: object) -> Memory:
        """W(x, scope, text): a memory of ``who``; ``team_id`` makes it a team's."""
        if "team_id" in fields or fields.get("layer") == "team":
            fields.setdefault("layer", "team")
        outcome = await self.service.capture(await self.caller(who), Draft(text, **fields))  # pyright: ignore[reportArgumentType]
        return outcome.memory

    async def ask(self, who: str, question: str, **fields: object) -> Recollection:
        return await self.service.recall(await self.caller(who), Question(question, **fields))  # pyright: ignore[reportArgumentType]

    async def recalled(self, who: str, question: str, **fields: object) -> list[str]:
        """R(x, q): the texts that come back, best first, without a floor."""
        fields.setdefault("min_score", 0.0)
        return [a.memory.content for a in (await self.ask(who, question, **fields)).memories]
