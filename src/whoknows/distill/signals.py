"""Signals: what can be read off a text without understanding it, as numbers for the classifier."""

import math
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from whoknows.distill.cues_change import CHANGING
from whoknows.distill.cues_lasting import LASTING
from whoknows.distill.cues_naming import NAMING
from whoknows.distill.cues_passing import PASSING

Numbers = npt.NDArray[np.float32]

CUES = (*LASTING, *NAMING, *PASSING, *CHANGING)
_SHAPE = (
    "length",
    "very short",
    "asks at the end",
    "exclaims",
    "trails off",
    "numbers",
    "a unit",
    "Latin letters",
    "quoted",
    "code",
    "first person",
    "second person",
    "negated",
    "a colon",
    "clauses",
)
SIGNALS = (*(c.name for c in CUES), *_SHAPE)
"""Names of the columns of `signals`, in order."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千万两]+(?=[个条次天周月年家台人份元块米度倍位期章套种])")
_UNIT = re.compile(
    r"\d\s?(?:%|ms|s|kg|km|cm|mm|m|g|h|℃|°|元|块|万|吨|斤|米|度|秒|分|小时|天|倍|次|个|GB|MB|Hz|dB|V|A|W|fps|x)", re.I
)
_QUOTED = re.compile(r"“[^”\n]+”|「[^」\n]+」|(?<!\w)\"[^\"\n]+\"(?!\w)|【[^】\n]+】")
_CODE = re.compile(r"```|`[^`\n]+`|\w\(\)|[{};][^\S\n]*$|^[^\S\n]*[$>#]\s?\w", re.MULTILINE)
_I = re.compile(r"我(?!们)|俺|咱|(?<![A-Za-z])(?:i|my|me|mine|i['’]\w+)(?![A-Za-z])", re.IGNORECASE)
_WE = re.compile(r"你|您|(?<![A-Za-z])(?:you|your)(?![A-Za-z])", re.IGNORECASE)
_NOT = re.compile(r"不|没|别|无|未|(?<![A-Za-z])(?:not|no|never|none|without|[A-Za-z]{1,12}n['’]t)(?![A-Za-z])", re.IGNORECASE)
_CLAUSE = re.compile(r"[，,；;：:—、]|\s-\s")


def signals(text: str) -> Numbers:
    """One number in [0, 1] or near it for each of SIGNALS."""
    cues = [float(c.found(text)) for c in CUES]
    return np.array([*cues, *_shape(text)], np.float32)


def _shape(text: str) -> Sequence[float]:
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    words = han / 1.6 + latin
    stripped = text.rstrip(' \t\n"”’)）~～😂🤣')
    return (
        min(math.log1p(words) / 4, 2.0),
        float(words < 5),
        float(stripped.endswith(("?", "？", "吗", "呢"))),
        float("!" in text or "！" in text),
        float("..." in text or "…" in text or text.endswith(("~", "～"))),
        min(len(_NUMBER.findall(text)) / 3, 1.5),
        float(_UNIT.search(text) is not None),
        latin / words if words else 0.0,
        sum(len(m) for m in _QUOTED.findall(text)) / max(len(text), 1),
        float(_CODE.search(text) is not None),
        float(_I.search(text) is not None),
        float(_WE.search(text) is not None),
        float(_NOT.search(text) is not None),
        float(":" in text or "：" in text),
        min(len(_CLAUSE.findall(text)) / 5, 2.0),
    )
