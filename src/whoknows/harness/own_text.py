"""Own text: what WhoKnows or a program put beside somebody's words is taken out before they are heard."""

import re

from whoknows.context.injected import OPENS, TAG, WRAPPERS, elements, mark_of, without, wrapped

__all__ = ["TAG", "disarmed", "without_own"]

_MARK = mark_of(WRAPPERS)
_HOOK_LINE = re.compile(r"^[ \t]*\w+ hook (?:additional context|success):[ \t]*", re.MULTILINE)
"""What Claude Code writes before the output of a hook."""
_BLANKS = re.compile(r"\n{3,}")
_LOOKS_LIKE_ONE = re.compile(
    rf"(?:{OPENS}|﹤|&#0{{0,9}}60;|&#x0{{0,9}}3c;)(?=\s*+/?\s*+(?:{elements(WRAPPERS)})(?![\w]))", re.IGNORECASE
)


def without_own(text: str) -> str:
    """``text`` without such elements, whatever stands within them; an element that nothing closes goes to the end."""
    if not _MARK.search(text):
        return text
    return _BLANKS.sub("\n\n", _HOOK_LINE.sub("", without(text, wrapped(text, _MARK)))).strip()


def disarmed(text: str) -> str:
    """``text`` in which nothing opens or closes such an element any more; otherwise word for word."""
    return _LOOKS_LIKE_ONE.sub("‹", text)
