"""Coverage: an audience covers another exactly if each reader of that one may read it too, by what the tables say now."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whoknows.bootstrap import Installation

PEOPLE = ("mira", "noor", "boss", "helper", "maomao", "wukong", "strict")
TEAMS = ("T", "U")
ROLES = (None, "reader", "writer", "owner")


@dataclass
class Hall:
    """People and teams in one transaction that is undone; audiences by a short name for what they are."""

    db: psycopg.Connection
    tenant: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    audiences: dict[str, int] = field(default_factory=dict)

    def one(self, query: str, *params: Any) -> Any:
        row = self.db.execute(query.encode(), params).fetchone()
        assert row is not None
        return row[0]

    def person(self, name: str, kind: str, role: str | None = None, **more: Any) -> None:
        columns = {"tenant_id": self.tenant, "kind": kind, "name": name, "role": role, **more}
        names, marks = ", ".join(columns), ", ".join(["%s"] * len(columns))
        query = f"INSERT INTO principals ({names}) VALUES ({marks}) RETURNING principal_id"
        self.ids[name] = self.one(query, *columns.values())

    def audience(self, name: str, layer: str, owner: str, named: tuple[str, ...] = (), **bound: str) -> None:
        ids = [self.ids[n] for n in named]
        query = "SELECT put_audience(%s, %s, %s, %s::int[], %s, %s)"
        found = self.one(query, self.tenant, layer, self.ids[owner], ids, bound.get("task"), bound.get("session"))
        self.audiences[name] = found

    def join(self, team: str, who: str, role: str | None) -> None:
        self.db.execute("DELETE FROM memberships WHERE team_id = %s AND principal_id = %s", (self.ids[team], self.ids[who]))
        if role is not None:
            self.db.execute(
                "INSERT INTO memberships (tenant_id, team_id, principal_id, role) VALUES (%s, %s, %s, %s)",
                (self.tenant, self.ids[team], self.ids[who], role),
            )

    def covers(self, source: str, destination: str) -> bool:
        return self.one("SELECT audience_covers(%s, %s)", self.audiences[source], self.audiences[destination])

    def read_by(self, who: str) -> set[int]:
        """What the other derivation says, that which every request is judged by."""
        self.db.execute(
            "SELECT set_config('whoknows.credential', %s, true), set_config('whoknows.principal', %s, true), "
            "set_config('whoknows.task', '', true)",
            (self.credential, str(self.ids[who])),
        )
        return set(self.one("SELECT my_audiences()"))

    @property
    def credential(self) -> str:
        return str(self.one("SELECT credential_id FROM credentials WHERE tenant_id = %s", self.tenant))


@pytest.fixture(scope="module")
def hall(installation_once: Installation) -> Iterator[Hall]:
    with psycopg.connect(installation_once.dsn, options="-c search_path=whoknows,public") as db:
        hall = Hall(db)
        hall.tenant = hall.one("INSERT INTO tenants (name) VALUES (%s) RETURNING tenant_id", f"hall-{uuid4()}")
        db.execute(
            "INSERT INTO credentials (tenant_id, credential_id, secret_hash, permissions) VALUES (%s, %s, %s, '{inspect}')",
            (hall.tenant, uuid4(), uuid4().bytes),
        )
        hall.person("mira", "member")
        hall.person("noor", "member")
        hall.person("boss", "agent", "main", account_id=hall.ids["mira"])
        hall.person("helper", "agent", "sub", parent_id=hall.ids["boss"], account_id=hall.ids["mira"])
        hall.person("maomao", "agent", "main")
        hall.person("wukong", "agent", "main")
        hall.person("strict", "agent", "main", clearance="need_to_know")
        for team in (*TEAMS, "*"):
            hall.person(team, "team")
        for name in PEOPLE:
            hall.audience(name, "private", name, (name,))
            hall.audience(f"given to {name}", "injected", name, (name,))
            hall.audience(f"{name} in a session", "private", name, (name,), session="s1")
        hall.audience("maomao with wukong", "private", "maomao", ("maomao", "wukong"))
        hall.audience("maomao with all", "private", "maomao", ("maomao", "wukong", "boss", "helper", "strict"))
        hall.audience("mira with wukong", "private", "mira", ("mira", "wukong"))
        for team in (*TEAMS, "*"):
            hall.audience(team, "team", team)
            hall.audience(f"{team} for maomao", "team", team, ("maomao",))
            hall.audience(f"{team} for maomao and wukong", "team", team, ("maomao", "wukong"))
            hall.audience(f"{team} in a task", "team", team, task="t#1")
        hall.audience("maomao in a task", "private", "maomao", ("maomao",), task="t#1")
        hall.audience("maomao in another task", "private", "maomao", ("maomao",), task="t#2")
        db.execute("SAVEPOINT empty")
        yield hall
        db.rollback()


@pytest.fixture
def usual(hall: Hall) -> Iterator[Hall]:
    """maomao owns T and reads U, wukong reads T, boss and mira are on U."""
    hall.join("T", "maomao", "owner")
    hall.join("T", "wukong", "reader")
    for who in ("maomao", "boss", "mira"):
        hall.join("U", who, "reader")
    yield hall
    hall.db.execute("ROLLBACK TO empty")


@pytest.mark.parametrize(
    ("source", "destination", "answer"),
    [
        ("maomao", "maomao", True),
        ("T", "maomao", True),
        ("*", "maomao", True),
        ("maomao", "T", False),
        ("maomao with wukong", "T", True),
        ("maomao with all", "T", True),
        ("maomao with wukong", "maomao", True),
        ("maomao", "maomao with wukong", False),
        ("T", "maomao with wukong", True),
        ("T", "maomao with all", False),
        ("T", "U", False),
        ("*", "T", True),
        ("*", "U", True),
        ("T", "*", False),
        ("T", "T for maomao", True),
        ("T for maomao", "T", False),
        ("T for maomao", "T for maomao and wukong", False),
        ("T for maomao and wukong", "T", True),  # everybody on it today is named, or owns it
        ("* for maomao", "*", False),
        ("mira", "boss", True),  # a main agent shares the memory of its member
        ("mira", "helper", False),
        ("boss", "mira", False),
        ("mira", "noor", False),
        ("U", "mira", True),
        ("T", "mira", False),
        ("mira with wukong", "mira", True),
        ("mira", "mira with wukong", False),
        ("strict", "strict", True),
        ("*", "strict", False),  # it reads what it owns, and nothing else
        ("given to strict", "strict", True),
        ("given to maomao", "maomao", True),
        ("maomao in a session", "maomao", True),
        ("maomao in a session", "maomao with wukong", False),
        ("mira in a session", "mira", False),  # her main agents read the one and not the other
        ("maomao", "maomao in a task", True),
        ("maomao in a task", "maomao", False),
        ("maomao in a task", "maomao in another task", False),
        ("T in a task", "maomao in a task", True),
        ("T", "T in a task", True),
    ],
)
def test_the_table_of_cases(usual: Hall, source: str, destination: str, answer: bool) -> None:
    assert usual.covers(source, destination) is answer


def test_the_same_names_in_two_tenants_cover_nothing(usual: Hall) -> None:
    other = usual.one("INSERT INTO tenants (name) VALUES (%s) RETURNING tenant_id", f"other-{uuid4()}")
    person = (
        "INSERT INTO principals (tenant_id, kind, name, role) VALUES (%s, 'agent', 'maomao', 'main') RETURNING principal_id"
    )
    owner = usual.one(person, other)
    theirs = usual.one("SELECT put_audience(%s, 'private', %s, %s::int[], NULL, NULL)", other, owner, [owner])
    for ours in (usual.audiences["*"], usual.audiences["maomao"]):
        assert usual.one("SELECT audience_covers(%s, %s)", ours, theirs) is False
        assert usual.one("SELECT audience_covers(%s, %s)", theirs, ours) is False


COMPARED = (
    "mira", "boss", "helper", "maomao", "strict", "maomao with wukong", "maomao with all", "mira with wukong", "T", "U", "*",
    "T for maomao", "T for maomao and wukong", "* for maomao", "mira in a session", "maomao in a session", "given to strict",
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from((*TEAMS, "*")), st.sampled_from(PEOPLE), st.sampled_from(ROLES)), max_size=12))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_says_what_the_readers_themselves_are_told(hall: Hall, memberships: list[tuple[str, str, str | None]]) -> None:
    for team, who, role in memberships:
        hall.join(team, who, role)
    reads = {who: hall.read_by(who) for who in PEOPLE}
    names = {hall.audiences[name]: name for name in COMPARED}
    found = hall.db.execute(
        "SELECT s, d, audience_covers(s, d) FROM unnest(%s::int[]) s CROSS JOIN unnest(%s::int[]) d", (list(names), list(names))
    ).fetchall()
    hall.db.execute("ROLLBACK TO empty")
    for source, destination, answer in found:
        expected = all(source in audiences for audiences in reads.values() if destination in audiences)
        assert answer == expected, f"{names[source]} for the readers of {names[destination]}"
