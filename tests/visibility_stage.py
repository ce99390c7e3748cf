"""The stage: plays the script of a case through the service, each case in tenants of its own, and keeps who is who."""

import re
from dataclasses import dataclass, field
from uuid import UUID

import psycopg

from visibility_cases import Case
from whoknows.bootstrap import Installation
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, PublicationId
from whoknows.domain.memory import Draft, Isolation, Patch
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.flows.administer import AgentPatch
from whoknows.service import Service
from worlds import World

QUESTION = "发布口令 launch code"
"""Finds every memory of the stage, by its words and by its vector."""
_PUBLISH = re.compile(r"(\S+) = P\((\S+) (\S+)\) to (\S+)")
_WRITE = re.compile(r'(\S+) = W\((\S+)\)(?: "(?P<text>.+)")?(?P<rest>.*)')


@dataclass
class Stage:
    """A case that was played. ``memories``: by the names of the script, those that are gone by now included."""

    case: Case
    service: Service
    dsn: str
    worlds: dict[str, World] = field(default_factory=dict[str, World])
    callers: dict[str, Caller] = field(default_factory=dict[str, Caller])
    memories: dict[str, MemoryId] = field(default_factory=dict[str, MemoryId])
    sessions: dict[str, str] = field(default_factory=dict[str, str])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    """Of the readers' keys, for the ways in that need one."""
    revoked: set[str] = field(default_factory=set[str])
    publications: dict[str, PublicationId] = field(default_factory=dict[str, PublicationId])
    """Of the memories that are published copies, by name."""
    tenant: str = ""
    _authors: dict[str, str] = field(default_factory=dict[str, str])

    def readers(self) -> list[str]:
        """Everybody who ever had a key, and the readers that the case names besides."""
        return sorted({*self.callers, *self.case.sees})

    def caller(self, reader: str) -> Caller:
        return self.callers[reader.partition("#")[0]]

    def session(self, reader: str) -> str | None:
        return reader.partition("#")[2] or None

    def sees(self, reader: str) -> set[str]:
        return set(self.case.sees.get(reader, "").split())

    def current(self, reader: str) -> set[str]:
        """What a list shows: what is active."""
        return {m for m in self.sees(reader) if m not in self.case.states}

    def recalls(self, reader: str) -> set[str]:
        """What a recall may bring: what is active, and of the session or of none."""
        return {m for m in self.current(reader) if self.sessions.get(m) in (None, self.session(reader))}

    def names(self, ids: "set[MemoryId] | set[UUID]") -> set[str]:
        """The names of ``ids``; what is not of this case keeps its id, and so equals nothing."""
        names = {i: n for n, i in self.memories.items()}
        return {names.get(MemoryId(i), str(i)) for i in ids}

    async def play(self, founder: World) -> None:
        await self._found(founder, f"case {self.case.name}")
        for line in self.case.script.splitlines():
            verb, *words = line.split()
            if verb == "tenant":
                self.tenant = f"{words[0]}/"
                await self._found(founder, words[0])
            elif words and words[0] == "=" and words[1].startswith("P("):
                await self._publish(line.strip())
            elif words and words[0] == "=":
                await self._write(line.strip())
            else:
                await self._step(verb, words)
        for reader in self.case.sees:
            await self._known(reader.partition("#")[0])

    async def _found(self, founder: World, name: str) -> None:
        made = await self.service.keys.create_tenant(await founder.admin(), name)
        self.worlds[self.tenant] = World(self.service, Installation(self.dsn, made.secret))

    async def _step(self, verb: str, words: list[str]) -> None:
        here, admin = self.worlds[self.tenant], self.worlds[self.tenant].service.administer
        match verb:
            case "main" | "strict" | "sub" | "member":
                await self._introduce(verb, words)
            case "team" | "everyone":
                name = words.pop(0) if verb == "team" else "*"
                await here.team(name)
                for who, role in (w.rsplit("=", 1) for w in words):
                    await here.join(name, who, role)
            case "join":
                await here.join(words[0], *words[1].rsplit("=", 1))
            case "expel":
                await here.expel(*words)
            case "strict!":
                patch = AgentPatch(frozenset({"clearance"}), clearance=Clearance.NEED_TO_KNOW)
                await admin.change_agent(await here.admin(), words[0], patch)
            case "account":
                patch = AgentPatch(frozenset({"account"}), account=None if words[1] == "-" else words[1])
                await admin.change_agent(await here.admin(), words[0], patch)
            case "drop":
                kind, name = words[0].split(":", 1)
                remove = {"agent": admin.remove_agent, "member": admin.remove_member, "team": admin.remove_team}[kind]
                await remove(await here.admin(), name)
            case "revoke":
                self.revoked.add(self.tenant + words[0])
                await self.service.keys.revoke(await here.admin(), self.callers[self.tenant + words[0]].credential.id)
            case _:
                await self._change(verb, words)

    async def _change(self, verb: str, words: list[str]) -> None:
        memory = self.memories[words[-1] if verb == "delete" else words[0]]
        author = self.callers[self._authors[words[-1] if verb == "delete" else words[0]]]
        change = self.service.change
        match verb:
            case "share" | "unshare":
                await change.share(author, memory, words[1], verb == "share")
            case "edit":
                now = await self.service.read.get(author, memory)
                patch = Patch(content=f"{now.content} again", named=frozenset({"content"}))
                await change.edit(author, memory, now.version, patch)
            case "archive":
                await change.archive(author, memory)
            case "restore":
                await change.restore(author, memory)
            case "delete":
                await self.service.forget(self.callers[self.tenant + words[0]], memory)
            case "expire":
                expire(self.dsn, memory)
            case "withdraw":
                await self.service.publications.withdraw(author, self.publications[words[0]])
            case "republish":
                await self.service.publications.republish(author, self.publications[words[0]])
            case other:
                raise AssertionError(f"no such step: {other}")

    async def _introduce(self, verb: str, words: list[str]) -> None:
        here = self.worlds[self.tenant]
        account = parent = None
        if "for" in words:
            at = words.index("for")
            account, words = words[at + 1], words[:at]
        if verb == "sub":
            at = words.index("of")
            parent, words = words[at + 1], words[:at]
        if verb == "member":
            await here.members(*words)
        else:
            await here.agents(
                *words,
                role=AgentRole.SUB if verb == "sub" else AgentRole.MAIN,
                parent=parent,
                account=account,
                clearance=Clearance.NEED_TO_KNOW if verb == "strict" else Clearance.OPEN,
            )
        for name in words:
            await self._known(f"{self.tenant}{'member:' if verb == 'member' else ''}{name}")

    async def _known(self, reader: str) -> Caller:
        """The caller of a reader: kept from the beginning, so that it can be asked after its end."""
        if reader not in self.callers:
            tenant, _, name = reader.rpartition("/") if reader.partition("/")[0] + "/" in self.worlds else ("", "", reader)
            here = self.worlds[f"{tenant}/" if tenant else ""]
            who, _, task = name.partition("@")
            secret = self.secrets[reader] = await here.key(who, task=task) if task else here.keys[who]
            self.callers[reader] = await here.caller(who, secret)
        return self.callers[reader]

    async def _write(self, line: str) -> None:
        found = _WRITE.fullmatch(line)
        assert found, line
        name, who = found[1], self.tenant + found[2]
        caller = await self._known(who)
        draft = self._draft(name, found["text"], found["rest"].split())
        written = await self.service.capture(caller, draft)
        if self.memories.setdefault(name, written.memory.id) != written.memory.id:
            raise AssertionError(f"{name} was not merged")
        self._authors.setdefault(name, who)
        self.texts[name] = draft.content
        if draft.isolation is Isolation.SESSION and draft.session_id:
            self.sessions[name] = draft.session_id

    async def _publish(self, line: str) -> None:
        found = _PUBLISH.fullmatch(line)
        assert found, line
        name, who, original, team = found[1], self.tenant + found[2], found[3], found[4]
        done = await self.service.publish(await self._known(who), self.memories[original], team)
        assert done.memory is not None
        assert self.memories.setdefault(name, done.memory.id) == done.memory.id, f"{name} is another copy"
        self._authors[name], self.texts[name] = who, self.texts[original]
        self.publications[name] = done.publication.id

    def _draft(self, name: str, text: str | None, rest: list[str]) -> Draft:
        fields: dict[str, object] = {"source": f"message:{name}"}
        key = None
        values: dict[str, list[str]] = {}
        for word in rest:
            if word in ("to", "with", "only", "for", "in", "over", "bound"):
                key = word
                values[key] = []
            elif key:
                values[key].append(word)
        if "to" in values:
            fields |= {"layer": "team", "team_id": None if values["to"] == ["*"] else values["to"][0]}
        if "with" in values or "only" in values:
            fields["visible_to"] = tuple(values.get("with", []) + values.get("only", []))
        if "for" in values:
            fields["account"] = values["for"][0]
        if "in" in values:
            fields |= {"isolation": Isolation.SESSION, "session_id": values["in"][0]}
        if "bound" in values:
            fields["isolation"] = Isolation.TASK
        if "over" in values:
            fields |= {"supersedes": self.memories[values["over"][0]], "reason": "it changed"}
        return Draft(text or f"{QUESTION} {name} 是蓝鲸计划{name}", **fields)  # pyright: ignore[reportArgumentType]


def expire(dsn: str, memory: MemoryId) -> None:
    """What time does: the memory's end, and the end that the arms keep beside it, are past."""
    with psycopg.connect(dsn, options="-c search_path=whoknows,public") as connection:
        row = connection.execute("SELECT memory_no FROM memories WHERE memory_id = %s", (memory,)).fetchone()
        assert row is not None
        connection.execute("UPDATE memories SET expires_at = now() - interval '1 hour' WHERE memory_id = %s", (memory,))
        connection.execute("UPDATE documents SET expires_at = now() - interval '1 hour' WHERE memory_no = %s", row)
        connection.execute("UPDATE postings SET expires_at = now() - interval '1 hour' WHERE memory_no = %s", row)
        connection.execute("UPDATE passages SET expires_at = now() - interval '1 hour' WHERE memory_no = %s", row)
