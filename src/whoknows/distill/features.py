"""A text that somebody said as one row of numbers for the classifier."""

import numpy as np
import numpy.typing as npt

from whoknows.distill.signals import SIGNALS, Numbers, signals
from whoknows.distill.terms import COLUMNS, terms

BARE = 2 * len(SIGNALS) + 1 + COLUMNS
"""Columns without a vector of the text."""
_VECTOR, _TERMS, _ASSISTANT, _BY_ASSISTANT = 0.175, 2.0, 1.5, 0.5
"""How much the blocks weigh against each other under one penalty; chosen by cross-validation (docs/decisions/0019)."""


def bare(text: str, *, assistant: bool) -> Numbers:
    """Signals, who speaks, the signals again if that is the assistant, hashed terms. Shape (BARE,)."""
    seen = signals(text)
    who = np.array([_ASSISTANT * assistant], np.float32)
    return np.concatenate([seen, who, seen * (_BY_ASSISTANT * assistant), terms(text) * _TERMS])


def with_vector(row: Numbers, vector: npt.ArrayLike, mean: Numbers, spread: float) -> Numbers:
    """``row``, and before it ``vector`` less ``mean``, over ``spread``: the usual deviation of one component."""
    centred = (np.asarray(vector, np.float32) - mean) * np.float32(_VECTOR / spread)
    return np.concatenate([centred, row])
