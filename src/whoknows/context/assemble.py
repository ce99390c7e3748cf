"""Assemble: layers in, one bundle out, within the budget by the tokenizer's own count."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from whoknows.context.budget import Budget, Count, cut, project_room, shares
from whoknows.context.bundle import SEPARATOR, Bundle, Dropped, Item, Part, PartName, joined
from whoknows.context.layers import Layers, MemoryText
from whoknows.context.marks import marks_in
from whoknows.context.render import HEADINGS, memory, runtime
from whoknows.errors import ContextTooLong

_NEWLINE = "\n"


def assemble(layers: Layers, budget: Budget, count: Count) -> Bundle:
    """The seven parts in their order (rules C2). Pure: the same layers give the same bundle.

    Raises ContextTooLong where the global prompt and the message alone exceed the limit.
    """
    room = _room(layers, budget, count)
    parts = _Parts(layers, count)
    share = shares(room)
    left = parts.prompt(PartName.USER_PROMPT, layers.user_prompt, share[PartName.USER_PROMPT])
    left = parts.prompt(PartName.CONVERSATION_PROMPT, layers.conversation_prompt, share[PartName.CONVERSATION_PROMPT] + left)
    left = parts.lines(PartName.RUNTIME, runtime(layers.runtime), share[PartName.RUNTIME] + left)
    left += share[PartName.PROJECT_MEMORIES] + share[PartName.USER_MEMORIES]
    of_project = project_room(left)
    left -= of_project
    left += parts.memories(PartName.PROJECT_MEMORIES, layers.project_memories, of_project)
    left = parts.memories(PartName.USER_MEMORIES, layers.user_memories, left)
    parts.second_chance(PartName.PROJECT_MEMORIES, layers.project_memories, left)
    while parts.shared_tokens() > room and parts.shrink():
        pass  # only for a tokenizer that counts the whole as more than its pieces
    return parts.bundle()


def _room(layers: Layers, budget: Budget, count: Count) -> int:
    """What is left for parts 2 to 6."""
    fixed = (layers.global_prompt, layers.message)
    tokens = count(SEPARATOR.join(t for t in fixed if t))
    if tokens > budget.limit:
        raise ContextTooLong(
            f"the global prompt and the message have {tokens} tokens, and {budget.limit} are the limit: shorten the message"
        )
    return max(0, min(budget.shared, budget.limit - tokens - 2 * count(SEPARATOR)))


@dataclass
class _Memories:
    """The memories of one part that have a place, in the order in which they were offered."""

    heading: str
    kept: dict[int, Item] = field(default_factory=dict[int, Item])

    def text(self) -> str:
        return "" if not self.kept else _NEWLINE.join((self.heading, *(i.text for _, i in sorted(self.kept.items()))))


class _Parts:
    """The parts while they are being filled. Each method answers how many tokens of its room it left."""

    def __init__(self, layers: Layers, count: Count) -> None:
        self._count = count
        self._layers = layers
        self._texts = dict.fromkeys(PartName, "")
        self._texts[PartName.GLOBAL_PROMPT] = layers.global_prompt
        self._texts[PartName.MESSAGE] = layers.message
        self._between = count(SEPARATOR)
        self._memories: dict[PartName, _Memories] = {}
        self._dropped: list[Dropped] = []
        self._said: dict[tuple[str | None, str], str] = {}
        self._beside = "\n".join((layers.global_prompt, layers.user_prompt, layers.conversation_prompt))

    def prompt(self, name: PartName, text: str, room: int) -> int:
        if not text:
            return room
        whole = self._count(text)
        room -= self._between
        if whole <= room:
            self._texts[name] = text
            return room - whole
        self._texts[name] = cut(text, room, self._count)
        kept = self._count(self._texts[name])
        self._dropped.append(Dropped(name, name, f"cut at its end: {whole} tokens, and there was room for {max(0, room)}"))
        return max(0, room - kept)

    def lines(self, name: PartName, lines: Sequence[str], room: int) -> int:
        room -= self._between
        kept: list[str] = []
        for line in lines:
            longer = _NEWLINE.join((*kept, line))
            if self._count(longer) > room:
                self._dropped.append(Dropped(line.partition(":")[0].lower(), name, "no room was left for it"))
            else:
                kept.append(line)
        self._texts[name] = _NEWLINE.join(kept)
        return max(0, room - self._count(self._texts[name]))

    def memories(self, name: PartName, offered: Sequence[MemoryText], room: int) -> int:
        self._memories[name] = _Memories(HEADINGS[name])
        return self._offer(name, enumerate(offered), room)

    def second_chance(self, name: PartName, offered: Sequence[MemoryText], room: int) -> None:
        """What had no room may have it now."""
        kept = self._memories[name].kept
        without = [(n, m) for n, m in enumerate(offered) if n not in kept]
        if without and room > 0:
            self._dropped = [d for d in self._dropped if d.part is not name]
            self._offer(name, without, room)

    def _offer(self, name: PartName, offered: Iterable[tuple[int, MemoryText]], room: int) -> int:
        place = self._memories[name]
        misses = 0
        for n, m in offered:
            twin = self._said.get((m.title, m.content))
            if twin is not None:
                self._dropped.append(Dropped(m.id, name, f"the same words as {twin}"))
                continue
            around = 0 if place.kept else self._between + self._count(f"{place.heading}{_NEWLINE}")
            if room - around < _LEAST_MEMORY or misses == _MISSES:
                self._dropped.append(Dropped(m.id, name, "no room was left for it"))
                continue
            text = memory(m, self._beside)
            tokens = self._count(text)
            needed = around + tokens + self._count(_NEWLINE)
            if needed > room:
                misses += 1
                self._dropped.append(Dropped(m.id, name, f"too long: {tokens} tokens, and there was room for {room - around}"))
                continue
            place.kept[n] = Item(m.id, text, tokens)
            self._said[m.title, m.content] = m.id
            room -= needed
        self._texts[name] = place.text()
        return room

    def shared_tokens(self) -> int:
        shared = [t for n, t in self._texts.items() if n not in (PartName.GLOBAL_PROMPT, PartName.MESSAGE) and t]
        return self._count(SEPARATOR.join(shared))

    def shrink(self) -> bool:
        """Take the last thing away; False where nothing is left to take."""
        for name in (PartName.USER_MEMORIES, PartName.PROJECT_MEMORIES):
            place = self._memories[name]
            if place.kept:
                _, item = sorted(place.kept.items())[-1]
                place.kept.pop(max(place.kept))
                self._dropped.append(Dropped(item.id, name, "no room was left for it"))
                self._texts[name] = place.text()
                return True
        for name in (PartName.RUNTIME, PartName.CONVERSATION_PROMPT, PartName.USER_PROMPT):
            if self._texts[name]:
                self._texts[name] = ""
                others = [d for d in self._dropped if d.part is not name]
                self._dropped = [*others, Dropped(name, name, "no room was left for it")]
                return True
        return False

    def bundle(self) -> Bundle:
        parts = tuple(self._part(name) for name in PartName)
        composed = joined(parts)
        marks = (
            *marks_in(PartName.USER_PROMPT, self._layers.user_prompt),
            *marks_in(PartName.CONVERSATION_PROMPT, self._layers.conversation_prompt),
        )
        return Bundle(parts, tuple(self._dropped), marks, composed, self._count(composed))

    def _part(self, name: PartName) -> Part:
        text = self._texts[name]
        place = self._memories.get(name)
        items = () if place is None else tuple(i for _, i in sorted(place.kept.items()))
        return Part(name, text, self._count(text), items)


_LEAST_MEMORY = 40
"""Tokens below which no memory with its label fits: what is offered then is not even counted."""
_MISSES = 8
"""Memories that are counted in vain before the rest of a part is left out uncounted: they are the less important ones."""
