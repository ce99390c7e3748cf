"""Credentials that no format gives away: what follows a credential word and looks like no word itself (rules W6).

A credential has at least eight ASCII characters of two classes without white space. A short number, a phrase, a name out of
code, a placeholder and a reference to a variable are content ("保险箱密码是 7391").
"""

import re
from collections.abc import Iterator

from whoknows.gate.redaction.plausible import is_credential
from whoknows.gate.redaction.spans import Hit
from whoknows.gate.redaction.values import end_of, value_at

_STRONG = (
    r"pass[ _-]?word|p(?:a?s{1,2})w(?:ors?|r)?d|pass[ _-]?phrase|pass[ _-]?code|passwort|kennwort|contraseña|mot de passe"
    r"|pwd|psw|secret|token|api[ _.-]?key|access[ _.-]?key|private[ _.-]?key|auth[ _.-]?key|account[ _.-]?key"
    r"|encryption[ _.-]?key|signing[ _.-]?key|shared[ _.-]?key|master[ _.-]?key|license[ _.-]?key|credential"
    r"|identified (?:with [\"'`]?\w{1,40}[\"'`]? (?:by|as)|by)|bearer"
    r"|登录密码|密码|密碼|口令|密钥|密鑰|秘钥|金鑰|令牌|权杖|凭证|憑證|凭据|授权码|授權碼|私钥|私鑰|パスワード|비밀번호|비번|암호"
)
_WEAK = r"access[ _-]?id|login|key|auth(?:entication|orization)?|api|creds?|pass|pw|salt|nonce"
_SHORT = frozenset(("pass", "pw"))
"""Words with other uses: only with an operator, and a value that is long or mixed."""
_WORD = re.compile(rf"(?P<strong>{_STRONG})|(?P<weak>{_WEAK})", re.IGNORECASE)

_IDENTIFIER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-")
_LONGEST_NAME = 60
_TAIL = re.compile(r"[\w.$-]{0,60}", re.ASCII)
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ABOUT = (
    "izer izers ized ize izing ization ary aries url uri urls file files path paths id ids name names length len size count"
    " expires expiry expiration ttl type types field fields policy endpoint hint label version prefix suffix format algorithm"
    " alg host port region manager service provider store storage arn fingerprint checksum selector ring board word words"
    " stone frame map space pair pairs binding column index vault variable var limit limits bucket pattern"
    " signature signatures event events hash hashes chars source ing"
)
_PUBLIC = "public pub bucket csrf xsrf authenticity foreign primary sort partition cache hot short row column tab non"
_NOT_AFTER, _NOT_BEFORE = frozenset(_ABOUT.split()), frozenset(_PUBLIC.split())
"""Parts of a name that make it speak of something else: token_type, keyboard, secret_path; public_key, csrf_token."""

_TYPE = r"(?:\s{0,3}:?\s{0,3}(?:string|str|char ?\*|varchar|&str|text)\b\??)?"
_OPERATOR = re.compile(
    rf"(?:\[\d{{0,4}}\])?[\"'`\])}}*]{{0,3}}{_TYPE}\s{{0,4}}(?P<op>\|\||=>|->|[=!]={{1,2}}|:{{0,3}}=|\+=|\.=|\?=|:|,|\s(?:value|content|default)\s?=|%3[AaDd]|>(?:\s{{0,2}}\n\s{{0,20}})?|\))"
    r"[ \t]{0,4}(?:[|>][+-]?[ \t]{0,2}\n\s{1,20})?(?:(?:Bearer|Basic|Token)\s)?",
    re.IGNORECASE,
)
_LISTS = (",", ")", "||")
"""Behind these, what is no string is the next argument."""
_PROSE = re.compile(
    r"[\"'`]?(?:\s{1,3}(?:is|was|=|to|are|now|still|changed to|set to|is now)"
    r"|\s?(?:已经?|现在|目前|就|都|还|先|统一|默认|暂时)?(?:就是|改成|改为|换成|设为|设成|设置为|更新为|用的是|是|为|為|叫)了?)"
    r"(?:\s{0,2}[:：])?\s{0,3}"
    r"|\s{1,3}(?:for|of|on|at|to)(?: [\w.@/'’-]{1,30}){1,4}?(?:\s{0,2}[:=]|\s(?:is|was)(?:\s?:)?)\s{0,3}"
    r"|\s?[（(][^()（）\n]{1,20}[)）]\s{0,2}(?:[:=是为為]|is|was)\s{0,3}",
    re.IGNORECASE,
)
_FALLBACK = re.compile(
    r"[^\n;]{0,80}?(?:\bor\s|\|\||\?\?|(?:get(?:env|property)?|env)\(\s?[\"'][^\"'\n]{1,60}[\"']\s?,)\s{0,3}(?=[\"'])",
    re.IGNORECASE,
)
"""What is taken where the environment has none: ``getenv("PASSWORD", "…")``."""
_SPACE = re.compile(r"(?:\\t)+(?=\\?[\"'](?P<escaped>))|\s{1,3}(?=(?P<quote>[\"'`])?)|\((?=[\"'])|\.assign\(")
_COMPARED = re.compile(r"([\"'`])([^\"'`\s]{8,256})\1\s{0,3}[!=]={1,2}\s{0,3}\Z")
_PATIENCE = 400
"""Words that are looked at within one run without white space: a text of nothing but ``key=`` may not hold up others."""
_RUN = re.compile(r"\S*")


def credentials(text: str) -> Iterator[Hit]:
    """The values that follow a credential word in ``text`` (folded)."""
    done, run_end, patience = 0, 0, _PATIENCE
    for word in _WORD.finditer(text):
        if word.start() < done:
            continue
        name_start = _name_start(text, word.start())
        name_end = end_of(_TAIL, text, word.end())
        if _is_another_word(text, word, _pieces(text[name_start : word.start()]), text[word.end() : name_end]):
            continue
        if word.start() >= run_end:
            run_end, patience = end_of(_RUN, text, word.start()), _PATIENCE
        patience -= 1
        if patience < 0:
            continue
        for hit in (*_valued(text, name_end, word), *_compared(text, name_start)):
            yield hit
            done = max(done, hit.end)


def _is_another_word(text: str, word: re.Match[str], before: list[str], tail: str) -> bool:
    if before and before[-1] in _NOT_BEFORE:
        return True
    if not word[0].isascii():
        return False
    if any(piece in _NOT_AFTER for piece in _pieces(tail)):
        return True
    if word["weak"] is None:
        return False
    start = text[word.start() - 1] if word.start() else " "
    inside = start.isalpha() and start.isascii() and not (word[0][0].isupper() and start.islower())
    joined = tail[:1].isalpha() and not (tail[0].isupper() and word[0][-1].islower())
    whole = word[0] == "PASS" and not tail  # MYSQLPASS=…
    return (inside and not whole) or joined


def _valued(text: str, at: int, word: re.Match[str]) -> Iterator[Hit]:
    weak = word["weak"] is not None
    least = 8 if word[0].lower() in _SHORT else 14 if word[0].lower().startswith("access") else 16
    for glue in (_OPERATOR,) if weak else (_OPERATOR, _PROSE, _SPACE):
        found = glue.match(text, at)
        if found is None:
            continue
        value = value_at(text, found.end())
        argument = glue is _OPERATOR and found["op"] in _LISTS and not value.quoted
        bare = glue is _SPACE and not value.quoted
        if not argument and is_credential(value.seen, quoted=value.quoted, weak=weak, bare=bare, least=least):
            yield Hit("secret:credential", value.start, value.end)
        elif glue is _OPERATOR and not weak and (behind := _FALLBACK.match(text, found.end())):
            value = value_at(text, behind.end())
            if value.quoted and is_credential(value.seen, quoted=True, weak=False, bare=False):
                yield Hit("secret:credential", value.start, value.end)
        return


def _compared(text: str, at: int) -> Iterator[Hit]:
    """The other way round: ``"value" == password``. ``at`` is where the name begins."""
    before = text[max(0, at - 300) : at]
    if not before.rstrip(" ").endswith("="):
        return
    quote = before.rstrip(" !=")[-1:]
    opening = before.rstrip(" !=")[:-1].rfind(quote) if quote else -1
    found = _COMPARED.match(before, opening) if opening >= 0 else None
    if found and is_credential(found[2], quoted=True, weak=False, bare=False):
        yield Hit("secret:credential", at - len(before) + found.start(2), at - len(before) + found.end(2))


def _name_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - _LONGEST_NAME) and text[start - 1] in _IDENTIFIER:
        start -= 1
    return start


def _pieces(identifier: str) -> list[str]:
    return [piece.lower() for piece in _PIECES.findall(identifier)]
