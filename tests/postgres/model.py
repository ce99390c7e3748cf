"""The rules of reading and changing in plain Python, written from rules.md and not from the code: what ought to be.

Small on purpose: sets and loops, no interning, no grants. Times, texts and ranks are not its business.
"""

from dataclasses import dataclass, field

EVERYONE = "*"


@dataclass
class Person:
    """An agent or a member. ``name`` is ``x`` or ``member:m``."""

    name: str
    role: str
    account: str | None = None
    strict: bool = False
    parent: str | None = None
    alive: bool = True
    key: bool = True


@dataclass
class Kept:
    """A memory. ``readers``: who is named beside the owner, or the whole of a narrowing, author included."""

    name: str
    layer: str
    owner: str
    readers: frozenset[str]
    author: str
    words: str
    task: str | None = None
    session: str | None = None
    state: str = "active"
    authors: list[str] = field(default_factory=list[str])
    successor: str | None = None
    expired: bool = False
    origin: str | None = None

    def value(self) -> tuple[object, ...]:
        """The audience."""
        return (self.layer, self.owner, self.readers, self.task, self.session)

    def likeness(self) -> tuple[object, ...]:
        """W7: what makes two rows one."""
        return (*self.value(), self.words, self.author if self.layer == "private" else None, self.expired)


@dataclass
class Publication:
    """What was published where: ready, withdrawn, removed (the copy was deleted), deleted (the original was)."""

    original: str
    team: str
    publisher: str
    copy: str = ""
    state: str = "ready"


@dataclass
class Model:
    people: dict[str, Person] = field(default_factory=dict[str, Person])
    teams: dict[str, dict[str, str]] = field(default_factory=lambda: {EVERYONE: {}})
    kept: dict[str, Kept] = field(default_factory=dict[str, Kept])
    published: dict[tuple[str, str], Publication] = field(default_factory=dict[tuple[str, str], Publication])

    # Standing

    def on(self, who: str, team: str) -> bool:
        return team in self.teams and (team == EVERYONE or who in self.teams[team])

    def role(self, who: str, team: str) -> str | None:
        """The role on a team; everyone reads everyone's."""
        return self.teams[team].get(who, "reader") if self.on(who, team) else None

    def account(self, who: str) -> str | None:
        """The member that a main agent works for, while there is one."""
        p = self.people[who]
        there = p.role == "main" and p.account is not None and self.people[p.account].alive
        return p.account if there else None

    # R1

    def reads(self, who: str, task: str | None, name: str) -> bool:
        m = self.kept.get(name)
        if m is None or m.expired or not self.people[who].alive or m.task not in (None, task):
            return False
        if self.people[who].strict and m.owner != who:
            return False
        if m.session is not None and m.owner != who:
            return False
        if m.state == "held" and who != m.author and not self.reviews(who, m):
            return False
        if m.layer in ("private", "injected"):
            return bool({who, self.account(who)} & {m.owner, *m.readers})
        if not m.readers:
            return self.on(who, m.owner)
        return self.on(who, m.owner) and (who in m.readers or self.role(who, m.owner) == "owner")

    def reviews(self, who: str, m: Kept) -> bool:
        if self.people[who].role != "member":
            return False
        return m.owner == who if m.layer == "private" else self.role(who, m.owner) in ("writer", "owner")

    # W3

    def changes(self, who: str, m: Kept) -> bool:
        if m.layer == "injected":
            return False
        if m.layer == "team":
            return self.role(who, m.owner) == "owner" or (who in m.authors and self.on(who, m.owner))
        if m.owner.startswith("member:"):
            return m.owner in (who, self.account(who))
        return m.author == who

    def edits(self, who: str, m: Kept) -> bool:
        alone = set(m.authors) <= {who}
        return self.changes(who, m) and (m.layer == "private" or alone or self.role(who, m.owner) == "owner")

    def equal(self, m: Kept) -> Kept | None:
        """An active row of the same words and audience. Copies have none (W7)."""
        for other in self.kept.values():
            if (
                m.origin is None
                and other.origin is None
                and other.name != m.name
                and other.state == "active"
                and other.likeness() == m.likeness()
            ):
                return other
        return None

    # P1, P2

    def publishes(self, who: str, m: Kept, team: str) -> bool:
        own = m.layer == "private" and m.origin is None and m.author == who and m.task is None and m.session is None
        return own and self.role(who, team) in ("writer", "owner") and not self.people[who].strict

    # W9

    def forget(self, who: str, names: list[str]) -> tuple[int, int]:
        """(deleted, released). Words of several go with the last author, or by an owner."""
        gone: list[str] = []
        for name in names:
            m = self.kept[name]
            if m.layer == "team" and self.role(who, m.owner) != "owner" and set(m.authors) - {who}:
                m.authors.remove(who)
                if m.author == who:
                    m.author = m.authors[0]
            else:
                gone.append(name)
        self.erase(gone)
        return len(gone), len(names) - len(gone)

    def erase(self, gone: list[str]) -> None:
        """What they had overturned goes to their successor, else to an equal row, else it is current again. Copies go too."""
        gone = list(gone)
        for name in gone:  # copies of copies as well
            gone += [n for n, m in self.kept.items() if m.origin == name and n not in gone]
        for m in sorted(self.kept.values(), key=lambda k: int(k.name[1:])):
            if m.successor in gone and m.name not in gone:
                heir = m.successor
                while heir in gone:
                    heir = self.kept[heir].successor
                equal = self.equal(m)
                if heir is None and equal is not None and equal.name not in gone:
                    heir = equal.name
                m.successor = heir
                if heir is None:
                    m.state = "active"
        for name in gone:
            del self.kept[name]
        for p in self.published.values():
            if p.original in gone:
                p.state = "deleted"
            elif p.copy in gone:
                p.state = "removed"

    def expire(self, name: str) -> None:
        """Copies end with their original."""
        for m in self.kept.values():
            if name in (m.name, m.origin):
                m.expired = True
