"""What counts as the same words: NFKC, case, white space and the width of punctuation do not (rules W7)."""

import hashlib
import re
import unicodedata

_PUNCTUATION = str.maketrans("。、，；：？！（）【】「」『』“”‘’《》—–", '.,,;:?!()[]""""""\'\'<>--')
_WIDE = r"\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff"
_SPACED = re.compile(rf"(?<=[{_WIDE}])\s+(?=[^\w\s])|(?<=[{_WIDE}][^\w\s])\s+|(?<=[^\w\s])\s+(?=[{_WIDE}])")


def same_words(text: str) -> str:
    """The form in which two texts are compared for being one."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_PUNCTUATION)
    visible = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return " ".join(_tight(visible).split())


def dedupe_key(text: str, title: str | None = None) -> bytes:
    """16 bytes that are equal for equal words."""
    whole = same_words(text) if title is None else f"{same_words(title)}\n{same_words(text)}"
    return hashlib.blake2b(whole.encode(), digest_size=16).digest()


def _tight(text: str) -> str:
    # Full-width punctuation carries its own space: "好，吗" and "好, 吗" are the same words; "foo.bar" and "foo. bar" are not.
    # What is taken away may bring punctuation and a character together: then it carries the next space too.
    while (tight := _SPACED.sub("", text)) != text:
        text = tight
    return text
