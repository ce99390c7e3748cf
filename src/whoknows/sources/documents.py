"""What counts as a document of a source: Markdown and text in UTF-8, of a size that somebody reads; no code, no binary."""

import unicodedata

SUFFIXES = (".md", ".markdown", ".txt")
MOST_BYTES = 1024 * 1024
"""Larger files are no documents."""
MOST_FILES = 20_000
"""More documents than this are no source, but an archive."""
_PATH = 1000
"""Longest path in bytes: it stands in an index of the database."""


def is_document(path: str) -> bool:
    """By its name alone. What lies in a hidden folder is passed over."""
    return path.lower().endswith(SUFFIXES) and not any(part.startswith(".") for part in path.split("/"))


def shown(path: bytes) -> str:
    """A path for people, whatever its bytes are."""
    return "".join(_visible(c) for c in path.decode("utf-8", "backslashreplace"))


def path_fault(path: bytes) -> str | None:
    """Why a file cannot be called that in the index, or None."""
    try:
        name = path.decode()
    except UnicodeDecodeError:
        return "the name of the file is not valid UTF-8"
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name):
        return "the name of the file holds control characters"
    if "#" in name or "@" in name:
        return "the name of the file holds # or @, with which a place in a file is written"
    if len(path) > _PATH:
        return "the name of the file is too long"
    return None


def text_of(raw: bytes) -> str | None:
    """The text with its lines ended by ``\\n``; None where it is none."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def text_fault(raw: bytes) -> str | None:
    """Why these bytes are no text, or None."""
    if len(raw) > MOST_BYTES:
        return too_large()
    try:
        raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        return f"not valid UTF-8 at byte {e.start}"
    return f"a NUL character stands at byte {raw.index(0)}" if 0 in raw else None


def too_large() -> str:
    return f"larger than {MOST_BYTES // 1024} KiB"


def _visible(c: str) -> str:
    return c.encode("unicode_escape").decode() if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c
