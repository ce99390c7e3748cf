"""The trained classifier: what is worth keeping, of which type and reach, and why the rest is not."""

import io
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from whoknows.distill.features import with_vector
from whoknows.distill.pairs import COLUMNS as PAIRS
from whoknows.distill.signals import SIGNALS, Numbers
from whoknows.distill.terms import COLUMNS
from whoknows.domain.distilled import Reach, Skip
from whoknows.domain.memory import Category

VERSION = 1
"""Of the layout of the file. Another one is not read."""
TYPES = (
    Category.USER_PREFERENCE,
    Category.PROJECT_PROGRESS,
    Category.DECISION,
    Category.RISK,
    Category.BLOCKING_ISSUE,
    Category.RESEARCH_NOTE,
    Category.WORKFLOW_RULE,
)
REASONS = (
    Skip.GREETING,
    Skip.ACK,
    Skip.EPHEMERAL,
    Skip.GUESS,
    Skip.NAGGING,
    Skip.OPERATIONAL,
    Skip.UNCONFIRMED_SUGGESTION,
    Skip.UNENDORSED_QUOTE,
    Skip.QUESTION,
    Skip.HYPOTHETICAL,
    Skip.JOKE,
)
REACHES = dict.fromkeys(TYPES, frozenset({Reach.PROJECT})) | {
    Category.USER_PREFERENCE: frozenset({Reach.GLOBAL}),
    Category.RESEARCH_NOTE: frozenset(Reach),
    Category.WORKFLOW_RULE: frozenset(Reach),
}
"""How far each type may reach: what a person likes goes wherever it goes; what was decided, reached, feared or is stuck stays
in its project."""
_DOUBT = {Category.WORKFLOW_RULE: 1.5}
"""A rule holds everywhere only where that is said: "all" and "never" stand in the rules of one project as often. (By
cross-validation anything from 0 to 2 is as good for those.)"""
OUTPUTS = 2 + len(TYPES) + len(REASONS)
_FILE = "weights.npz"


@dataclass(frozen=True, slots=True)
class Reading:
    """``keep`` and ``everywhere`` are logits: above 0 means worth keeping, and global."""

    keep: float
    everywhere: float
    types: Numbers
    reasons: Numbers

    @property
    def meaning(self) -> tuple[Category, Reach]:
        """The type and the reach that are the likeliest together, of those that go together."""
        found = [
            (_likely(float(logit)) + _likely((self.everywhere - _DOUBT.get(kind, 0.0)) * (1 if reach is Reach.GLOBAL else -1)))
            if reach in REACHES[kind]
            else -np.inf
            for kind, logit in zip(TYPES, self.types, strict=True)
            for reach in Reach
        ]
        kind, reach = divmod(int(np.argmax(found)), len(Reach))
        return TYPES[kind], tuple(Reach)[reach]

    @property
    def reason(self) -> Skip:
        return REASONS[int(self.reasons.argmax())]


@dataclass(frozen=True, slots=True)
class Layer:
    """Linear: ``weights`` (columns, OUTPUTS), ``bias`` (OUTPUTS,)."""

    weights: Numbers
    bias: Numbers

    def read(self, row: Numbers) -> Reading:
        out = row @ self.weights + self.bias
        return Reading(float(out[0]), float(out[1]), out[2 : 2 + len(TYPES)], out[2 + len(TYPES) :])


@dataclass(frozen=True, slots=True)
class Model:
    """``full`` reads a row with the vector of one embedder, ``bare`` a row without any."""

    embedder: str
    mean: Numbers
    spread: float
    full: Layer
    bare: Layer
    relating: Numbers
    """Weights of updates.py, as they stand in the file."""

    def read(self, row: Numbers, vector: npt.ArrayLike | None) -> Reading:
        """``row`` is without a vector; ``vector`` is None where there is none of the embedder that this was trained with."""
        if vector is None:
            return self.bare.read(row)
        return self.full.read(with_vector(row, vector, self.mean, self.spread))


def _likely(logit: float) -> float:
    """Logarithm of the probability."""
    return -float(np.logaddexp(0, -logit))


def shipped() -> Model:
    """The weights that come with this package."""
    return loads(files("whoknows.distill").joinpath(_FILE).read_bytes())


def dumps(model: Model) -> bytes:
    """The file of a model: half precision, the same bytes for the same numbers."""
    header = {"version": VERSION, "embedder": model.embedder, "spread": model.spread, **_names()}
    out = io.BytesIO()
    np.savez_compressed(
        out,
        header=np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8),
        mean=model.mean.astype(np.float16),
        full=model.full.weights.astype(np.float16),
        full_bias=model.full.bias,
        bare=model.bare.weights.astype(np.float16),
        bare_bias=model.bare.bias,
        relating=model.relating,
    )
    return out.getvalue()


def loads(data: bytes) -> Model:
    """Raises ValueError where the file was written for other signals, other types or another layout."""
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        header: dict[str, Any] = json.loads(stored["header"].tobytes())
        expected = {"version": VERSION, **_names()}
        if {k: header.get(k) for k in expected} != expected:
            raise ValueError("the weights of distillation belong to other signals: train them again (make distill-model)")
        return Model(
            embedder=header["embedder"],
            mean=stored["mean"].astype(np.float32),
            spread=header["spread"],
            full=Layer(stored["full"].astype(np.float32), stored["full_bias"]),
            bare=Layer(stored["bare"].astype(np.float32), stored["bare_bias"]),
            relating=stored["relating"],
        )


def _names() -> dict[str, Any]:
    return {
        "signals": list(SIGNALS),
        "pairs": list(PAIRS),
        "terms": COLUMNS,
        "types": [str(t) for t in TYPES],
        "reasons": [str(r) for r in REASONS],
    }
