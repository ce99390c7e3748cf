"""Quotations: a text that only reports what somebody says is not the claim itself (rules W8)."""

import re

_MARKS = {'"': '"', "“": "”", "「": "」", "『": "』", "‘": "’", "«": "»", "„": "“"}
_REPORTED = re.compile(
    r"^\s*(?:"
    r"(?:[\w .@-]{1,40}\s)?(?:says?|said|claims?|claimed|thinks?|thought|wrote|writes|reports?|reported|asserts?|asserted)\b"
    r"(?:\s+that\b|\s*[:,])"
    r"|according\s+to\s|reportedly\b|allegedly\b|i\s+(?:have\s+)?heard\s+(?:that\b|from\b)"
    r"|(?:据|听)\S{0,12}?说|据称|据传|[^，。；：\s]{1,12}(?:说|表示|认为|声称|称|写道|提到)(?:了|过)?\s*[:：，,「“\"]"
    r")",
    re.IGNORECASE,
)


def is_quotation(text: str) -> bool:
    """Whether all of ``text`` is quoted or reported: block quotes, one pair of quotation marks around it, or "A says: …"."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return False
    if all(line.lstrip().startswith(">") for line in lines):
        return True
    whole = text.strip().rstrip("。.!！")
    closing = _MARKS.get(whole[0])
    if closing is not None and len(whole) > 1 and whole.endswith(closing) and closing not in whole[1:-1]:
        return True
    return _REPORTED.match(text) is not None
