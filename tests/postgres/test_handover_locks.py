"""The second lock of handing over: what raw SQL under the request role cannot do with tasks, tokens, gifts and copies."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from databases import fresh, serve
from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from raw import claims, column, entered, second_lock_alone

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft, Isolation
from whoknows.domain.principal import AgentRole
from whoknows.flows.inject import Gift
from whoknows.policy.standing import scope_for
from whoknows.stores.postgres.session import REQUEST_ROLE
from worlds import World

GIVE = "SELECT given FROM give(%(i)s, %(c)s, %(target)s, %(original)s, %(listed)s, %(task)s, %(passes)s, NULL, NULL)"
OPEN = "SELECT open_task('raw', %(agents)s, %(keys)s, %(hashes)s, NULL)"


@dataclass
class House:
    """A with S and S2, SS below S; B with O. A gave S one free copy and one for the task `t`; B opened `t` as well."""

    world: World
    callers: dict[str, Caller] = field(default_factory=dict[str, Caller])
    memories: dict[str, MemoryId] = field(default_factory=dict[str, MemoryId])
    tasks: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def dsn(self) -> str:
        return self.world.installation.dsn

    def number(self, who: str) -> int:
        principal = self.callers[who].principal
        assert principal is not None
        return principal.id


@pytest.fixture
async def house(world: World) -> House:
    return await _built(world)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_house(server: str) -> AsyncIterator[House]:
    """For tests that ask by raw statements alone, all of which are undone."""
    with fresh(server, "one_house") as installation:
        service = await serve(installation)
        house = await _built(World(service, installation))
        await service.close()
        yield house


async def _built(world: World) -> House:
    house = House(world)
    await world.agents("A", "B")
    await world.agents("S", "S2", role=AgentRole.SUB, parent="A")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    await world.agents("O", role=AgentRole.SUB, parent="B")
    await world.team("T", A="writer", B="writer")
    for name in ("A", "B", "S", "S2", "SS", "O"):
        house.callers[name] = await world.caller(name)
    for name, who, more in (("own", "A", {}), ("bound", "A", {}), ("unlisted", "A", {}), ("of B", "B", {})):
        house.memories[name] = (await world.write(who, f"memory {name}", **more)).id
    house.memories["team"] = (await world.write("B", "the team's", team_id="T")).id
    for who, agents in (("A", ["S", "SS"]), ("B", ["O"])):
        opened = await world.service.tasks.open(house.callers[who], "t", agents, None)
        house.tasks[who] = opened.task.number
        for agent, secret in opened.tokens.items():
            house.callers[f"{agent}@t"] = await world.caller(agent, secret)
    gift = Gift("S", "x", memory_ids=(house.memories["own"],))
    house.memories["copy"] = (await world.service.inject(house.callers["A"], gift)).memories[0].id
    bound = Gift("S", "x", memory_ids=(house.memories["bound"],), task_id="t", may_pass_on=True)
    house.memories["bound copy"] = (await world.service.inject(house.callers["A"], bound)).memories[0].id
    return house


@pytest.mark.parametrize(
    ("who", "target", "original", "listed", "task", "code"),
    [
        ("A", "A", "own", True, None, "not_yours_to_give"),
        ("A", "B", "own", True, None, "not_yours_to_give"),
        ("A", "O", "own", True, None, "not_yours_to_give"),
        ("A", "S", "unlisted", False, None, "not_yours_to_give"),
        ("A", "S", "of B", True, None, "not_yours_to_give"),
        ("A", "S", "team", True, None, "not_yours_to_give"),
        ("A", "S", "copy", True, None, "not_yours_to_give"),
        ("A", "S2", "own", True, "A", "not_on_the_task"),
        ("A", "S", "own", True, "B", "not_on_the_task"),
        ("A", "S", "own", True, "nobody", "not_on_the_task"),
        ("S", "S", "own", True, None, "not_yours_to_give"),
        ("S", "SS", "own", True, None, "not_yours_to_give"),
        ("S", "SS", "copy", True, None, "not_yours_to_give"),
        ("S", "S2", "copy", True, None, "not_yours_to_give"),
        ("S", "A", "copy", True, None, "not_yours_to_give"),
        ("S", "SS", "bound copy", True, None, "not_yours_to_give"),
        ("S@t", "SS", "bound copy", True, None, "not_your_task"),
        ("S@t", "SS", "bound copy", True, "B", "not_your_task"),
        ("S@t", "S2", "bound copy", True, "A", "not_on_the_task"),
        ("B", "S", "of B", True, None, "not_yours_to_give"),
        ("B", "O", "own", True, None, "not_yours_to_give"),
    ],
)
async def test_nobody_gives_what_is_not_its_to_give(
    one_house: House, who: str, target: str, original: str, listed: bool, task: str | None, code: str
) -> None:
    async with second_lock_alone(one_house.dsn, one_house.callers[who]) as connection:
        params = _gift(one_house, target, original, listed=listed, task=task)
        assert code in await _refused(connection, GIVE, params)
        assert await column(connection, "SELECT memory_id FROM memories WHERE memory_id = %(c)s", params) == []


@pytest.mark.parametrize(
    ("who", "target", "original", "listed", "task"),
    [
        ("A", "S2", "own", True, None),
        ("A", "SS", "own", True, "A"),
        ("A", "S", "unlisted", True, None),
        ("S@t", "SS", "bound copy", True, "A"),
        ("B", "O", "of B", True, "B"),
    ],
)
async def test_the_same_statement_gives_what_may_be_given(
    one_house: House, who: str, target: str, original: str, listed: bool, task: str | None
) -> None:
    async with second_lock_alone(one_house.dsn, one_house.callers[who]) as connection:
        params = _gift(one_house, target, original, listed=listed, task=task)
        assert await column(connection, GIVE, params) == [params["c"]]


async def test_tasks_are_opened_for_one_s_own_descendants_alone_and_closed_by_their_opener(house: House) -> None:
    for who, agents, code in (
        ("A", ["O"], "not_a_descendant"), ("A", ["A"], "not_a_descendant"), ("A", ["S", "B"], "not_a_descendant"),
        ("S", ["SS"], "not_a_main_agent"), ("S@t", ["SS"], "not_a_main_agent"),
    ):  # fmt: skip
        async with second_lock_alone(house.dsn, house.callers[who]) as connection:
            assert code in await _refused(connection, OPEN, _keys(house, *agents)), (who, agents)
    for who in ("B", "S", "S@t", "O"):
        async with second_lock_alone(house.dsn, house.callers[who]) as connection:
            told = await _refused(connection, "SELECT * FROM close_task(%s)", (house.tasks["A"],))
            assert "not_your_task" in told
    async with second_lock_alone(house.dsn, house.callers["A"]) as connection:
        assert await column(connection, "SELECT tokens FROM close_task(%s)", (house.tasks["A"],)) == [2]
    async with second_lock_alone(house.dsn, house.callers["A"]) as connection:
        assert len(await column(connection, OPEN, _keys(house, "S", "SS"))) == 1


async def test_a_key_of_a_task_opens_none_although_it_is_a_main_agent_s(house: House) -> None:
    bound = await house.world.caller("A", await house.world.key("A", task="k1"))
    async with second_lock_alone(house.dsn, bound) as connection:
        assert "not_your_task" in await _refused(connection, OPEN, _keys(house, "S"))


async def test_a_key_of_a_task_closes_none_and_gives_nothing_that_outlives_it(house: House) -> None:
    bound = await house.world.caller("A", await house.world.key("A", task="k1"))
    async with second_lock_alone(house.dsn, bound) as connection:
        assert "not_your_task" in await _refused(connection, "SELECT * FROM close_task(%s)", (house.tasks["A"],))
        for task in (None, "A"):
            gift = _gift(house, "S", "unlisted", listed=True, task=task)
            assert "not_your_task" in await _refused(connection, GIVE, gift), task


async def test_a_gift_under_an_identifier_that_is_taken_is_refused_at_once(house: House) -> None:
    (taken, *_) = await _as_owner(house, "SELECT injection_id FROM injections")
    async with second_lock_alone(house.dsn, house.callers["A"]) as connection:
        await connection.execute("SET LOCAL statement_timeout = '5s'")
        for same in ({"i": taken}, {"c": house.memories["copy"]}):
            with pytest.raises(errors.UniqueViolation):
                async with connection.transaction():
                    await connection.execute(GIVE, _gift(house, "S2", "own", listed=True, task=None) | same)


async def test_tasks_injections_and_copies_of_others_are_not_there(house: House) -> None:
    sees: dict[str, tuple[set[str], set[str], set[str]]] = {
        "A": ({"A"}, {"own", "bound"}, set()),
        "S": ({"A"}, {"own"}, set()),
        "S@t": ({"A"}, {"own", "bound"}, set()),
        "SS": ({"A"}, set(), set()),
        "S2": (set(), set(), set()),
        "B": ({"B"}, set(), set()),
        "O": ({"B"}, set(), set()),
    }
    copies = {house.memories["copy"]: "own", house.memories["bound copy"]: "bound"}
    numbers = {n: who for who, n in house.tasks.items()}
    for who, (tasks, injections, of) in sees.items():
        async with second_lock_alone(house.dsn, house.callers[who]) as connection:
            assert {numbers[t] for t in await column(connection, "SELECT task_no FROM tasks")} == tasks, who
            found = await column(connection, "SELECT memory_id FROM injections")
            assert {copies[m] for m in found} == injections, who
            assert set(await column(connection, "SELECT memory_id FROM copies")) == of, who
            agents = set(await column(connection, "SELECT agent_id FROM task_agents"))
            assert house.number(who) not in agents or who not in ("A", "B")
            if who not in ("A", "B"):
                assert agents <= {house.number(who)}, f"{who} is not told who else is on it"
            assert "permission denied" in await _refused(connection, "SELECT original_id FROM injections")
            for table in ("tasks", "task_agents", "injections", "copies"):
                for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET tenant_id = tenant_id"):
                    assert "permission denied" in await _refused(connection, statement), statement
                assert "permission denied" in await _refused(connection, f"INSERT INTO {table} DEFAULT VALUES")


async def test_who_reads_both_sees_of_what_a_copy_is_one(house: House) -> None:
    await house.world.service.change.share(house.callers["A"], house.memories["own"], "S", True)
    async with second_lock_alone(house.dsn, house.callers["S"]) as connection:
        assert await column(connection, "SELECT original_id FROM copies") == [house.memories["own"]]
        assert house.memories["own"] in await column(
            connection, "SELECT g.original_id FROM injections i, LATERAL given_from(i.injection_id) g"
        )
    async with second_lock_alone(house.dsn, house.callers["B"]) as connection:
        every = await _as_owner(house, "SELECT injection_id FROM injections")
        for injection in every:
            assert await column(connection, "SELECT original_id FROM given_from(%s)", (injection,)) == []


async def test_only_the_giver_withdraws(house: House) -> None:
    (injection,) = await _as_owner(house, "SELECT injection_id FROM injections WHERE original_id = %s", house.memories["own"])
    for who, done in (("S", False), ("S2", False), ("B", False), ("A", True)):
        async with second_lock_alone(house.dsn, house.callers[who]) as connection:
            assert await column(connection, "SELECT withdraw_injection(%s)", (injection,)) == [done], who


@pytest.mark.parametrize(
    ("who", "claim", "counts"),
    [
        ("S", "t", True), ("S", "t#1", False), ("S", "other", False), ("S", "", False), ("SS", "t", True), ("S2", "t", False),
        ("A", "t", True), ("S@t", "t", True), ("S@t", "other", False), ("O", "t", True),
    ],
)  # fmt: skip
async def test_a_claim_of_a_task_counts_for_those_who_are_on_it(one_house: House, who: str, claim: str, counts: bool) -> None:
    key, me, _ = claims(one_house.callers[who])
    opener = "B" if who == "O" else "A"
    async with entered(one_house.dsn, REQUEST_ROLE, key, me, claim) as connection:
        assert await column(connection, "SELECT my_task()") == [f"t#{one_house.tasks[opener]}" if counts else None]
        seen = one_house.memories["bound copy"] in await column(connection, "SELECT memory_id FROM memories")
        assert seen == (counts and who.startswith("S") and who in ("S", "S@t"))


async def test_a_closed_task_is_no_claim(house: House) -> None:
    token, key = claims(house.callers["S@t"]), claims(house.callers["S"])
    await house.world.service.tasks.close(house.callers["A"], "t")
    for credential, me in (token[:2], key[:2]):
        async with entered(house.dsn, REQUEST_ROLE, credential, me, "t") as connection:
            assert await column(connection, "SELECT my_task()") == [None]
    async with entered(house.dsn, REQUEST_ROLE, token[0], token[1], "t") as connection:
        assert await column(connection, "SELECT memory_id FROM memories") == [], "the token is dead"


async def test_both_derivations_name_the_same_audiences_for_tasks_and_copies(house: House) -> None:
    for who, task in (
        ("A", None),
        ("S", None),
        ("S", "t"),
        ("S", "nowhere"),
        ("S@t", None),
        ("SS", "t"),
        ("S2", "t"),
        ("O", "t"),
    ):
        caller = house.callers[who]
        if task is not None:
            caller = Caller(caller.credential, caller.principal, task)
        async with house.world.service.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
        async with second_lock_alone(house.dsn, caller) as connection:
            assert set(await column(connection, "SELECT unnest(my_audiences())")) == scope.audiences, (who, task)


async def test_a_memory_bound_to_a_task_is_of_that_task_and_of_none_of_the_same_name(house: House) -> None:
    """B's task `t`, and a key that an administrator bound to `t`, are others than A's `t`."""
    note = (await house.world.service.capture(house.callers["S@t"], Draft("of A's task", isolation=Isolation.TASK))).memory.id
    by_key = await house.world.caller("S", await house.world.key("S", task="t"))
    for caller, sees in (
        (house.callers["S@t"], True),
        (by_key, False),
        (house.callers["O@t"], False),
        (house.callers["S"], False),
    ):
        async with second_lock_alone(house.dsn, caller) as connection:
            assert (note in await column(connection, "SELECT memory_id FROM memories")) == sees


async def test_what_checks_no_rule_cannot_be_called(house: House) -> None:
    async with second_lock_alone(house.dsn, house.callers["A"]) as connection:
        for call in (
            "copy_memory(gen_random_uuid(), gen_random_uuid(), 1, '{}', 1, NULL, 'injected', 'active')",
            "copy_evidence(gen_random_uuid(), gen_random_uuid(), 1)", "copy_index(1, 2)", "with_copies('{}')",
            "may_give(1, 2, gen_random_uuid(), true, NULL)", "reads(1, 1)", "descends(1, 2)", "line_above(1)", "role_on(1, 1)",
            "end_injections('{}', 'x')", "end_rights(1)", "set_expiry(gen_random_uuid(), NULL)", "task_ends(1, now())",
            "end_task(1)", "sweep_tasks()", "task_is_open(1)",
        ):  # fmt: skip
            assert "permission denied" in await _refused(connection, f"SELECT {call}"), call


def _gift(house: House, target: str, original: str, *, listed: bool, task: str | None) -> dict[str, Any]:
    number = None if task is None else house.tasks.get(task, 0)
    return {
        "i": uuid4(), "c": uuid4(), "target": house.number(target), "original": house.memories[original], "listed": listed,
        "task": number, "passes": False,
    }  # fmt: skip


def _keys(house: House, *agents: str) -> dict[str, Any]:
    return {
        "agents": [house.number(a) for a in agents],
        "keys": [uuid4() for _ in agents],
        "hashes": [uuid4().bytes for _ in agents],
    }


async def _as_owner(house: House, query: str, *params: UUID) -> list[Any]:
    async with entered(house.dsn, None, "", "", "") as connection:
        return await column(connection, query, params)


async def _refused(connection: AsyncConnection[DictRow], statement: str, params: Any = None) -> str:
    """The statement raises, and says what it says; the transaction goes on."""
    with pytest.raises(errors.InsufficientPrivilege) as refused:
        async with connection.transaction():
            await connection.execute(statement.encode(), params)
    return str(refused.value)
