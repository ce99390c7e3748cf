"""Formats of secrets that the catalogue of tokens leaves out, or finds only beside a second part."""

import re
from collections.abc import Iterator

from whoknows.gate.redaction.plausible import is_credential
from whoknows.gate.redaction.spans import Hit

_WHOLE = {
    "secret:private_key": re.compile(
        r"-----BEGIN[ A-Z0-9]{0,30} PRIVATE KEY(?: BLOCK)?-----(?:"
        r"(?:(?!-----(?:BEGIN|END))[\s\S]){24,20000}-----END[ A-Z0-9]{0,30} PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:[A-Za-z0-9+/=]|\\+[nr]|\s){24,20000})"  # the end may have been cut off
    ),
    "secret:jwt": re.compile(r"(?<![\w.-])eyJ[\w-]{10,4000}\.eyJ[\w-]{6,8000}(?:\.[\w-]{0,4000})?"),
}
_KUBERNETES = re.compile(r"^[ \t]{0,8}kind:[ \t]{0,8}[\"']?secret[\"']?[ \t]{0,8}$", re.IGNORECASE | re.MULTILINE)
_KUBERNETES_VALUE = re.compile(
    r"^[ \t]{1,16}[\w.-]{1,128}:[ \t]{0,8}(?:[|>][+-]?[ \t]{0,8}\n[ \t]{0,16})?[\"']?"
    r"([A-Za-z0-9+/]{9,}={0,2})[\"']?[ \t]{0,8}$",
    re.MULTILINE,
)
_JWK = re.compile(r"\"kty\"\s{0,4}:")
_JWK_VALUE = re.compile(r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{16,4000})\"")
_JWK_ALONE = re.compile(r"\"(?:d|k|dp|dq|qi)\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{22,4000})\"")
"""Out of a key whose other lines are elsewhere."""
_VALUES = {
    "secret:password_in_url": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,30}://[^\s:/\"'<>\[\]]{0,128}:([^\s@\"'<>`]{1,256})@[\w\[]", re.IGNORECASE
    ),
    "secret:password": re.compile(
        r"\bsshpass\s{1,3}-p\s{0,3}[\"']?((?<=\")[^\"\n]{1,256}|(?<=')[^'\n]{1,256}|[^\s\"']{1,256})"
    ),
    "secret:secure_string": re.compile(
        r"\bConvertTo-SecureString\s{1,3}(?:-\w{1,20}\s{1,3}){0,4}[\"'\\]{0,2}([^\s\"'\\]{6,256})", re.IGNORECASE
    ),
    "secret:authorization": re.compile(
        r"\b(?:Basic|Bearer|NTLM|Negotiate)\s{1,3}([A-Za-z0-9+/._~-]{8,8000}={0,3})", re.IGNORECASE
    ),
    "secret:user_password": re.compile(
        r"(?:^|\s)(?:-u|--user|--proxy-user)[\s=]{1,3}[\"']?[^\s:\"']{0,128}[\"']?:[\"']?([^\s\"']{4,256})"
    ),
    "secret:user_key": re.compile(r"(?:^|\s)(?:-u|--user)[\s=]{1,3}[\"']?([^\s:\"'{}<>$]{12,256}):[\"']?(?=\s|\Z)"),
    "secret:nuget": re.compile(r"<add\s{1,3}key=\"ClearTextPassword\"\s{1,3}value=\"([^\"]{4,256})\"", re.IGNORECASE),
    "secret:bundler": re.compile(r"\bBUNDLE_\w{1,80}__\w{1,10}\s{0,3}[=:]\s{0,3}[\"']?([^\s:\"';]{1,80}:[^\s\"';&]{4,200})"),
}
KINDS = frozenset((*_WHOLE, *_VALUES, "secret:kubernetes", "secret:jwk"))


def formats(text: str) -> Iterator[Hit]:
    """The secrets in ``text`` (folded) that their form gives away."""
    for kind, pattern in _WHOLE.items():
        for found in pattern.finditer(text):
            yield Hit(kind, found.start(), found.end())
    for found in _JWK_ALONE.finditer(text):
        if is_credential(found[1], quoted=True, weak=True, bare=False):
            yield Hit("secret:jwk", found.start(1), found.end(1))
    for kind, document, pattern in (("kubernetes", _KUBERNETES, _KUBERNETES_VALUE), ("jwk", _JWK, _JWK_VALUE)):
        for found in pattern.finditer(text) if document.search(text) else ():
            if kind == "jwk" or len(found[1]) % 4 == 0:
                yield Hit(f"secret:{kind}", found.start(1), found.end(1))
    for kind, pattern in _VALUES.items():
        for found in pattern.finditer(text):
            if _is_meant(kind, found[1]):
                yield Hit(kind, found.start(1), found.end(1))


def _is_meant(kind: str, value: str) -> bool:
    if kind == "secret:user_password" and re.search(r"[<>\[\]]", value):
        return False
    if kind in ("secret:authorization", "secret:user_password", "secret:user_key"):
        return is_credential(value, quoted=True, weak=False, bare=False)
    return not re.match(r"\$|\{\{|<|\[|%\w+%|\*{3}|[xX]{3}", value)
