"""The rules of handing over in plain Python, beside those of the model: tasks, gifts, and when a gift ends."""

from dataclasses import dataclass, field

from model import Kept, Model


@dataclass
class Given:
    """A live gift, by the names of the original and of the copy."""

    giver: str
    target: str
    original: str
    copy: str
    task: str | None
    listed: bool
    passes: bool


@dataclass
class Opened:
    """An open task."""

    opener: str
    agents: list[str] = field(default_factory=list[str])


@dataclass
class Handed:
    """``sharing``: the teams that share with sub-agents."""

    model: Model
    gifts: list[Given] = field(default_factory=list[Given])
    tasks: dict[str, Opened] = field(default_factory=dict[str, Opened])
    sharing: set[str] = field(default_factory=set[str])

    def descends(self, who: str, above: str) -> bool:
        parent = self.model.people[who].parent
        return parent is not None and self.model.people[who].alive and (parent == above or self.descends(parent, above))

    def passable(self, who: str, name: str) -> bool:
        return any(g.copy == name and g.target == who and g.passes for g in self.gifts)

    def may_give(self, giver: str, target: str, name: str, listed: bool, task: str | None) -> bool:
        """I1, I2, I4, of a right that must hold by itself, whatever the giver works on."""
        m, model = self.model.kept.get(name), self.model
        if m is None or m.state != "active" or not self.descends(target, giver) or not model.reads(giver, m.task, name):
            return False
        if m.session is not None or m.task not in (None, task):
            return False
        if m.layer == "injected":
            return self.passable(giver, name)
        if model.people[giver].role != "main":
            return False
        if m.layer == "team":
            there = model.on(target, m.owner)
            return there and target in m.readers if m.readers else there or m.owner in self.sharing
        own = m.owner == giver and m.author == giver and m.origin is None
        return own and (target in m.readers or listed)

    def free(self, giver: str, target: str, task: str | None) -> set[str]:
        """What is given without being listed: nothing that was injected."""
        if self.model.people[giver].role != "main":
            return set()
        return {
            n
            for n, m in self.model.kept.items()
            if m.layer != "injected" and self.may_give(giver, target, n, False, task) and self.model.reads(giver, None, n)
        }

    def held(self, giver: str, target: str, name: str, task: str | None) -> Given | None:
        return next((g for g in self.gifts if (g.giver, g.target, g.original, g.task) == (giver, target, name, task)), None)

    def copy(self, name: str, gift: Given) -> None:
        m = self.model.kept[gift.original]
        self.model.kept[name] = Kept(
            name, "injected", gift.target, frozenset(), m.author, m.words, gift.task, authors=[m.author], origin=gift.original
        )

    def settle(self) -> None:
        """I3: what has lost its right is gone, and what was passed on from it."""
        while True:
            lost = [
                g
                for g in self.gifts
                if g.copy not in self.model.kept
                or (g.task is not None and g.task not in self.tasks)
                or not self.may_give(g.giver, g.target, g.original, g.listed, g.task)
            ]
            if not lost:
                return
            self.gifts = [g for g in self.gifts if g not in lost]
            self.model.erase([g.copy for g in lost if g.copy in self.model.kept])
