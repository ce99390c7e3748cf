"""The comparison of both sides: by row-level security alone, and by the verbs."""

from double import Double
from raw import claims

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, State
from whoknows.errors import NotFound, PermissionMissing, Unauthenticated
from whoknows.flows.recall import Question


class Comparing(Double):
    async def compare(self, step: int) -> None:
        """By row-level security alone for every reader; by the verbs for some of them, in turn."""
        by_id = {i: n for n, i in self.ids.items()}
        for reader, caller in self.callers.items():
            found = {by_id[i] for i in self._unfiltered(caller)}
            assert found == self.readable(reader), f"{reader} by row-level security alone"
        turn = list(self.callers)
        for reader in {turn[step % len(turn)], turn[(step * 3 + 1) % len(turn)]}:
            if not self.has_key(reader):
                await self._locked_out(reader)
            else:
                await self._compare_verbs(reader, by_id, step)

    async def _compare_verbs(self, reader: tuple[str, str | None], by_id: dict[MemoryId, str], step: int) -> None:
        caller, expected = self.callers[reader], self.readable(reader)
        kept = self.model.kept
        for state in State:
            listed = await self.service.read.list(caller, Filters(state=state), 200, None)
            assert {by_id[m.id] for m in listed.items} == {n for n in expected if kept[n].state == state}, (
                f"{reader} lists {state}"
            )
        session = (None, "s1", "s2")[step % 3]
        recalled = await self.service.recall(caller, Question("launch code 口令", 100, 0.0, Filters(session_id=session)))
        current = {n for n in expected if kept[n].state == "active" and kept[n].session in (None, session)}
        assert {by_id[a.memory.id] for a in recalled.memories} == current, f"{reader} recalls in {session}"
        assert recalled.trace.body["visible"] == len(current), f"{reader} counts"
        names = list(self.ids)
        for name in {names[step % len(names)], names[(step * 5 + 2) % len(names)]}:
            if name in expected:
                got = await self.service.read.get(caller, self.ids[name])
                verdict = await self.service.explain.why(caller, got.id, None)
                assert verdict.visible
                assert {a.author.space.removeprefix("agent:") for a in got.authors} == set(kept[name].authors), name
                assert {by_id[o.id] for o in got.overturned} <= expected
                linked = {i for i in (got.supersedes, got.superseded_by) if i}
                assert {by_id[i] for i in linked} <= expected, f"{name} names what {reader} cannot see"
            else:
                verbs = (self.service.read.get, self.service.read.history, self.service.forget)
                await self.fails(NotFound, verbs[step % 3](caller, self.ids[name]))
                await self.fails(NotFound, self.service.explain.why(caller, self.ids[name], None))

    async def _locked_out(self, reader: tuple[str, str | None]) -> None:
        await self.fails(PermissionMissing, self.service.read.list(self.callers[reader], Filters(), 10, None))
        if reader[1] is None:
            await self.fails(Unauthenticated, self.world.caller(reader[0])) if self._first_key_is_dead(reader[0]) else None

    def _first_key_is_dead(self, name: str) -> bool:
        return not self.model.people[name].alive

    def _unfiltered(self, caller: Caller) -> list[MemoryId]:
        with self._raw.transaction():
            self._raw.execute("SET LOCAL ROLE whoknows_request")
            self._raw.execute(
                "SELECT set_config('whoknows.credential', %s, true), set_config('whoknows.principal', %s, true), "
                "set_config('whoknows.task', %s, true)",
                claims(caller),
            )
            return [i for (i,) in self._raw.execute("SELECT memory_id FROM memories")]
