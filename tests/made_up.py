"""Secrets and personal data that are made when a test runs: nothing that looks like a credential stands in the files."""

import random
import string
from datetime import date

from stdnum import luhn
from stdnum.cn import ric

_LETTERS = string.ascii_letters + string.digits


def letters(n: int, alphabet: str = _LETTERS) -> str:
    """``n`` characters; from eight on, of every class that the alphabet has."""
    rng = random.SystemRandom()
    while True:
        made = "".join(rng.choice(alphabet) for _ in range(n))
        classes = [c for c in (string.ascii_lowercase, string.ascii_uppercase, string.digits) if set(c) & set(alphabet)]
        if n < 8 or all(set(c) & set(made) for c in classes):
            return made


def password() -> str:
    """Twelve letters and digits, with a sign that no other test has."""
    return f"{letters(10)}!{letters(1)}"


def github_token() -> str:
    return "_".join(("ghp", letters(36)))


def aws_key_id() -> str:
    return "AK" + "IA" + letters(16, string.ascii_uppercase + "234567")


def private_key() -> str:
    name = " ".join(("RSA", "PRIVATE", "KEY"))
    body = "\n".join(letters(64) for _ in range(6))
    return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"


def id_card(check: bool = True) -> str:
    """An identity number of nobody: of Dongcheng, Beijing, with a right or a wrong check digit."""
    born = date(1950 + random.randrange(50), 1 + random.randrange(12), 1 + random.randrange(28))
    start = f"110101{born:%Y%m%d}{random.randrange(1000):03}"
    right = next(d for d in "0123456789X" if ric.is_valid(start + d))
    return start + (right if check else next(d for d in "0123456789" if d != right))


def id_card_of(place: str, check: bool = True) -> str:
    """An identity number of somebody born on the first day of 1990 at ``place``, six digits."""
    start = f"{place}19900101{random.randrange(1000):03}"
    right = ric.calc_check_digit(f"{start}0")
    return start + (right if check else next(d for d in "0123456789" if d != right))


def mobile() -> str:
    return "1" + random.choice("3456789") + "".join(random.choice(string.digits) for _ in range(9))


def bank_card(check: bool = True) -> str:
    start = "6222" + "".join(random.choice(string.digits) for _ in range(11))
    right = luhn.calc_check_digit(start)
    return start + (right if check else str((int(right) + 1) % 10))


def email() -> str:
    return f"{letters(8, string.ascii_lowercase)}@{letters(8, string.ascii_lowercase)}.example.com"
