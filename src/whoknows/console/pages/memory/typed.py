"""What a person typed over a memory: kept as it was typed, and the edit that it comes to."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Form

from whoknows.console.fields import lines, one_of
from whoknows.console.pages.memory.moment import moment_of, written
from whoknows.domain.memory import Category, Memory, Patch


@dataclass(frozen=True, slots=True)
class Typed:
    """The fields of the form. ``expires`` is by the clock of whoever typed it, ``zone`` minutes behind UTC."""

    content: str
    title: str
    category: str
    tags: str
    subject: str
    expires: str
    zone: str = ""
    reason: str = ""

    def patch(self, now: Memory) -> Patch:
        """Only what differs from ``now`` is named; what a form cannot show, as a comma in a tag, is no difference."""
        before = over(now)
        category = one_of(Category, self.category, "category") or now.category
        expires_at = moment_of(self.expires, self.zone)
        given: dict[str, Any] = {
            "content": lines(self.content),
            "title": self.title.strip(),
            "category": category,
            "tags": tags_of(self.tags),
            "subject": self.subject.strip(),
            "expires_at": expires_at,
        }
        differs = {
            "content": given["content"] != before.content,
            "title": given["title"] != before.title.strip(),
            "category": category is not now.category,
            "tags": given["tags"] != tags_of(before.tags),
            "subject": given["subject"] != before.subject.strip(),
            "expires_at": written(expires_at) != before.expires,
        }
        named = {field for field, other in differs.items() if other}
        if named and self.reason.strip():
            named.add("reason")
            given["reason"] = self.reason.strip()
        return Patch(**{f: given[f] for f in named}, named=frozenset(named))


def over(now: Memory) -> Typed:
    """Nothing typed yet."""
    tags, expires = ", ".join(now.tags), written(now.expires_at)
    return Typed(lines(now.content), now.title or "", str(now.category), tags, now.subject or "", expires)


def tags_of(text: str) -> tuple[str, ...]:
    """Tags as one writes them in a line, between commas of either language."""
    return tuple(t for piece in text.replace("，", ",").replace("、", ",").split(",") if (t := piece.strip()))


def _typed(
    content: Annotated[str, Form()] = "",
    title: Annotated[str, Form()] = "",
    category: Annotated[str, Form()] = "",
    tags: Annotated[str, Form()] = "",
    subject: Annotated[str, Form()] = "",
    expires: Annotated[str, Form()] = "",
    zone: Annotated[str, Form()] = "",
    reason: Annotated[str, Form()] = "",
) -> Typed:
    return Typed(content, title, category, tags, subject, expires, zone, reason)


TypedOver = Annotated[Typed, Depends(_typed)]
