"""Whether a value behind a credential word can be a credential, or is a word, a name, a reference or a placeholder."""

import re
from itertools import pairwise

_CLASSES = tuple(re.compile(c) for c in (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9]"))
_REFERENCE = re.compile(
    r"\$\{|\{\{|<%|%[A-Za-z_]+%\Z|\$[A-Za-z_]\w*\Z|\$\(|#\{|@\w+@\Z"  # variables of shells, templates, Windows
    r"|<[A-Za-z][^<>]{0,60}>?\Z"  # <your-token>
    r"|(?:https?|file|git|ssh)://[^@\s]*\Z|arn:|refs/|\.{1,2}/|~/|/(?:\w[\w.-]*/){1,}[\w.-]*\Z"  # addresses and paths
)
_RELEASE = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*[-_:]v?\d+(?:\.\d+)+(?:[-._+]?[A-Za-z]+\d*)?\Z")
"""What is named with its version: jackson-0.11.2."""
_DOTS = re.compile(r"[.:].*[.:]")
"""Names of packages and versions, where a word has other uses."""
_IN_ORDER, _ALPHABET = 6, 10
"""So many characters that follow each other make a token a dummy, and a value an alphabet."""
_CALL = re.compile(r"(?:new\s|await\s|\(|!|&|\*)?[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*\s*[(\[]")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]{0,40}(?:(?:\.|->|::)[A-Za-z_$][\w$]{0,40})+;?\Z")
_WORDS = re.compile(r"[A-Za-z]+(?:[-_ /.:+&'’,]+[A-Za-z]+)*[-_.:!?]?\Z")
_NUMBERED = re.compile(r"v?\d+(?:[.,:/_-]\d+)*[-_.]?(?:[a-z]{1,3}|[A-Za-z][a-z]{2,})?%?\Z")
"""Versions, dates, times, amounts with a unit: 5,000-token, 2024-01-01, v1.2.3-beta."""
_CODE = re.compile(r"[{(\[<|,;:)}\]]|--|[A-Za-z_]\w{2,}=[^=]|.*(?:\"[:,]|[)\]}][,:;)])")
"""What begins like an expression, an option or an assignment, or holds what joins two of them."""
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DUMMY = re.compile(
    r"(?:x{4,}|\*{3,}|\.{3,}|_{4,}|-{4,}|#{4,}|0{6,}|(.)\1{6,})|example|changeme|placeholder|redacted|dummy|your[-_ ]?\w{0,20}"
    r"(?:key|token|secret|password)|(?:insert|replace|enter)[-_ ]\w|fake|undefined|\b(?:null|none)\b",
    re.IGNORECASE,
)


def is_dummy(token: str) -> bool:
    """An example of its issuer's documentation, a row of one letter or of digits in order, or a word behind a prefix."""
    body = re.split(r"[_.-]", token)[-1] if len(token) < 60 else token
    return (
        len(set(token[-20:])) <= 5
        or _in_order(token) >= _IN_ORDER
        or (len(body) >= 20 and body.isdigit())
        or bool(re.search(r"(?i)x{8,}|EXAMPLE|\.{3}\Z|here\Z", token))
        or (len(body) >= 12 and _WORDS.match(body) is not None and not _is_scrambled(body))
    )


def _in_order(token: str) -> int:
    """The longest row of characters that follow each other in the alphabet or the digits, such as 123456 or abcdef.

    By chance one in 10 million has six of them.
    """
    run = longest = 1
    for a, b in pairwise(token):
        run = run + 1 if ord(b) == ord(a) + 1 else 1
        longest = max(longest, run)
    return longest


def is_credential(value: str, *, quoted: bool, weak: bool, bare: bool, least: int = 16) -> bool:
    """``weak``: behind a word with other uses; ``bare``: behind white space alone. Both ask for more than two classes."""
    if len(value) < 8 or not value.isascii() or any(c.isspace() for c in value):
        return False
    classes = sum(bool(c.search(value)) for c in _CLASSES)
    if classes < 2 or _is_content(value, quoted):
        return False
    if weak:
        if _DOTS.search(value):
            return False
        mixed = r"\d" if least > 8 else r"[\d!@#$%^&*]"
        return len(value) >= least and bool(re.search(mixed, value)) and bool(re.search(r"[A-Za-z]", value))
    if bare:
        return bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value)) and (classes >= 3 or len(value) >= 20)
    return True


def _is_content(value: str, quoted: bool) -> bool:
    if value.startswith("--") or _REFERENCE.match(value) or _DUMMY.search(value) or _NUMBERED.match(value):
        return True
    if _RELEASE.match(value) or _in_order(value) >= _ALPHABET:
        return True
    if not re.search(r"[A-Za-z]", value):
        return not re.search(r"[!@#$%^&*]", value)
    if _WORDS.match(value) and not _is_scrambled(value):
        return True
    return not quoted and bool(
        _CODE.match(value) or _CALL.match(value) or (_DOTTED.match(value) and not re.search(r"\d\w*\d", value))
    )


def _is_scrambled(value: str) -> bool:
    """Letters alone, but no words: the case changes more often than words begin."""
    if re.fullmatch(r"[A-Za-z]+", value) is None:
        return False
    if len(value) >= 20:
        return sum(a.isupper() != b.isupper() for a, b in pairwise(value)) >= len(value) / 3
    return len(value) / len(_HUMPS.findall(value)) < 2.6
