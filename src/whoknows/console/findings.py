"""Findings for a page: each in the reader's words, with the memories that it names as links."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.console.words import Language, Words
from whoknows.errors import Finding

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FIELD = re.compile(r"([a-z_]+): ")
_KIND = re.compile(r"\[([a-z_]+(?::[a-z_]+)?)\]")


@dataclass(frozen=True, slots=True)
class Told:
    """``says`` in the reader's language; ``detail`` as the check said it, where that says more. ``memories``: ids it names.

    ``span``: the characters of the text that it is about, which came in as ``field``.
    """

    check: str
    says: str
    detail: str | None
    memories: tuple[str, ...]
    span: tuple[int, int] | None
    field: str | None


def told(findings: Sequence[Finding], words: Words) -> list[Told]:
    return [_told(f, words) for f in findings]


def _told(finding: Finding, words: Words) -> Told:
    key = f"findings.{finding.check}"
    known = words.has(key)
    replaced = _KIND.search(finding.message)
    says = words(key) if known else finding.message
    if replaced is not None and known:
        says = f"{says} [{replaced[1]}]"
    # In English the check itself says more than its name; in Chinese it would be a foreign sentence under each.
    is_more = known and words.language is Language.EN and words(key).lower() not in finding.message.lower()
    detail = finding.message if is_more else None
    field = _FIELD.match(finding.message)
    memories = tuple(dict.fromkeys(_ID.findall(finding.message)))
    return Told(finding.check, says, detail, memories, finding.span, None if field is None else field[1])
