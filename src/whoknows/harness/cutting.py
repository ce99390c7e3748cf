"""Cutting: the beginning and the end of a long text, where what matters of it is said."""

import re
from collections.abc import Callable

HEAD, TAIL = 400, 200
"""Of what is asked of memory, an ideograph counted as three letters: to embed it takes as long."""
_ENOUGH = 80
_SECRET_END = re.compile(r"-----END[ A-Z0-9]{0,30} PRIVATE KEY(?: BLOCK)?-----")
_SECRET_BEGIN = re.compile(r"-----BEGIN[ A-Z0-9]{0,30} PRIVATE KEY")
_BEYOND = 2_000
"""Bytes behind a cut that are looked at too: longer than what is secret and its word."""
_MARK = "\n…\n"


def asked(text: str) -> str:
    """What of a prompt memory is asked by: all of a short one, of a long one the lines at both ends.

    What is pasted between them would drown the question.
    """
    if len(_weighed(text, HEAD + TAIL)) == len(text):
        return text
    head = _lines(_weighed(text, HEAD), _ENOUGH)
    tail = _lines(_weighed(text[::-1], TAIL), _ENOUGH)[::-1]
    return f"{head.strip()} {tail.strip()}"


def ends(text: str, head: int, tail: int, clean: Callable[[str], str] = str) -> str:
    """``text``, or its first ``head`` and last ``tail`` bytes, cut at line breaks where there are some; through ``clean``.

    What is cut through is cleaned with what stands beyond the cut: half of a secret, or one without the word before it, nobody
    would know for one. So no part of a private key is left either whose first line was cut away.
    """
    encoded = text.encode()
    if len(encoded) <= head + tail:
        return clean(text)
    first = clean(encoded[: head + _BEYOND].decode(errors="ignore")).encode()
    last = clean(_with_begin(encoded[-tail - _BEYOND :].decode(errors="ignore"))).encode()
    # The last of what was beyond may be half of something itself.
    first = first[: max(0, min(head, len(first) - _BEYOND // 2))]
    last = last[max(0, _BEYOND // 2, len(last) - tail) :]
    return _to_line(first.decode(errors="ignore")) + _MARK + _from_line(_with_begin(last.decode(errors="ignore")))


def _with_begin(text: str) -> str:
    """``text`` without the rest of a private key that began before it."""
    end = _SECRET_END.search(text)
    headless = end is not None and not _SECRET_BEGIN.search(text, 0, end.start())
    return text[end.end() :] if end is not None and headless else text


def _lines(text: str, least: int) -> str:
    """Whole lines from the beginning of ``text``, until they weigh something."""
    found = ""
    for line in text.splitlines(keepends=True):
        found += line
        if len(_weighed(found, least)) < len(found):
            break
    return found


def _weighed(text: str, most: int) -> str:
    if len(text) * 3 <= most:
        return text
    for place, c in enumerate(text):
        most -= 3 if c >= "\u2e80" else 1
        if most < 0:
            return text[:place]
    return text


def _to_line(text: str) -> str:
    place = text.rfind("\n", len(text) // 2)
    return text if place < 0 else text[:place]


def _from_line(text: str) -> str:
    place = text.find("\n", 0, len(text) // 2)
    return text if place < 0 else text[place + 1 :]
