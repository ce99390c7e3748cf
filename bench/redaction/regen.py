"""A text that a regular expression matches."""

import random
import re
import string
from importlib import import_module
from typing import Any

c: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
"""The parser of the standard library, which is not announced as public."""

_CLASSES: dict[Any, str] = {
    c.CATEGORY_DIGIT: string.digits,
    c.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
    c.CATEGORY_SPACE: " ",
}


def generate(pattern: str, rng: random.Random) -> str:
    """Without a distribution in mind: each alternative and each letter is as likely as another."""
    pattern = pattern.replace("[[:alnum:]]", "[0-9A-Za-z]")
    flags = re.match(r"\(\?([ims]+)\)", pattern)
    return _many(parser.parse(pattern[flags.end() :] if flags else pattern), rng, {})


def _many(parts: Any, rng: random.Random, groups: dict[int, str]) -> str:
    return "".join(_one(op, value, rng, groups) for op, value in parts)


def _one(op: Any, value: Any, rng: random.Random, groups: dict[int, str]) -> str:
    if op is c.LITERAL:
        return chr(value)
    if op is c.IN:
        return rng.choice(_set(value))
    if op is c.ANY:
        return rng.choice(string.ascii_letters)
    if op in (c.MAX_REPEAT, c.MIN_REPEAT):
        low, high, inner = value
        return "".join(_many(inner, rng, groups) for _ in range(rng.randint(low, min(int(high), low + 10))))
    if op is c.SUBPATTERN:
        groups[value[0]] = _many(value[-1], rng, groups)
        return groups[value[0]]
    if op is c.BRANCH:
        return _many(rng.choice(value[1]), rng, groups)
    if op is c.GROUPREF:
        return groups[value]
    return ""  # anchors


def _set(items: Any) -> str:
    negated = items[0][0] is c.NEGATE
    letters = ""
    for op, value in items:
        if op is c.LITERAL:
            letters += chr(value)
        elif op is c.RANGE:
            letters += "".join(map(chr, range(value[0], value[1] + 1)))
        elif op is c.CATEGORY:
            letters += _CLASSES[value]
    return "".join(x for x in string.ascii_letters + string.digits if x not in letters) if negated else letters
