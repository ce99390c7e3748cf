"""Secrets within what is written in base64: the whole of it goes, since a part of it would be no text."""

import binascii
import re
from collections.abc import Iterator

from whoknows.gate.redaction.credentials import credentials
from whoknows.gate.redaction.formats import formats
from whoknows.gate.redaction.spans import Hit
from whoknows.gate.redaction.tokens import tokens

_RUN = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{48,40000}={0,2}")
_KEY = b"-----BEGIN "
"""A private key or, without that word, a certificate or public key, which is for everybody to read."""
_PRINTABLE = frozenset(range(32, 127)) | frozenset(b"\t\r\n")
_SEEN = 8192
"""Bytes by which a long one is judged."""
KINDS = frozenset(("secret:encoded",))


def encoded(text: str) -> Iterator[Hit]:
    """The runs of base64 in ``text`` (folded) that hold a secret."""
    for run in _RUN.finditer(text):
        written = binascii.a2b_base64(run[0][: len(run[0]) // 4 * 4][: _SEEN * 4 // 3 // 4 * 4])
        if _is_private_key(written):
            yield Hit("secret:private_key", run.start(), run.end())
        elif not written.startswith(_KEY) and _is_text(written) and _holds_secret(written.decode("ascii")):
            yield Hit("secret:encoded", run.start(), run.end())


def _is_private_key(written: bytes) -> bool:
    return (written.startswith(_KEY) and b" PRIVATE" in written[:60]) or b"BEGIN PRIVATE" in written[:60]


def _is_text(written: bytes) -> bool:
    return all(b in _PRINTABLE for b in written)


def _holds_secret(plain: str) -> bool:
    return any(next(iter(detect(plain)), None) is not None for detect in (tokens, formats, credentials))
