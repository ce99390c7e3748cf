"""Logistic regression under a ridge: no chance in it, the same each time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEPS = 40
_ENOUGH = 1e-6
_TURNS, _MEMORY, _SMALL = 400, 12, 1e-4


def logistic(x: Floats, y: Floats, weights: Floats, ridge: float) -> tuple[Floats, float]:
    """Weights of the columns of ``x`` (n, d), and the bias, for ``y`` in {0, 1} (n,), each row counting ``weights`` (n,)."""
    with_bias = np.column_stack([x, np.ones(len(y))])
    penalty = np.diag([ridge] * x.shape[1] + [0.0])
    beta = np.zeros(with_bias.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(with_bias @ beta, -30, 30)))
        curve = np.maximum(weights * p * (1 - p), 1e-7)
        gradient = with_bias.T @ (weights * (y - p)) - penalty @ beta
        step = np.linalg.solve((with_bias * curve[:, None]).T @ with_bias + penalty, gradient)
        beta = beta + step
        if float(np.abs(step).max()) < _ENOUGH:
            break
    return beta[:-1], float(beta[-1])


def wide(x: Floats, y: Floats, weights: Floats, ridge: float) -> tuple[Floats, float]:
    """The same where there are thousands of columns: by L-BFGS (Nocedal and Wright, algorithm 7.4)."""

    def slope(beta: Floats) -> tuple[float, Floats]:
        f = x @ beta[:-1] + beta[-1]
        loss = float((weights * (np.logaddexp(0, f) - y * f)).sum()) + ridge / 2 * float(beta[:-1] @ beta[:-1])
        rest = weights * (1 / (1 + np.exp(-np.clip(f, -30, 30))) - y)
        return loss, np.append(x.T @ rest + ridge * beta[:-1], rest.sum())

    beta = np.zeros(x.shape[1] + 1)
    value, gradient = slope(beta)
    enough = _SMALL * float(np.linalg.norm(gradient))
    past: list[tuple[Floats, Floats]] = []
    for _ in range(_TURNS):
        direction = -_downhill(gradient, past)
        step = 1.0 if past else 1.0 / float(np.linalg.norm(gradient))
        next_value, next_gradient = slope(beta + step * direction)
        while next_value > value + 1e-4 * step * float(gradient @ direction) and step > 1e-10:
            step /= 2
            next_value, next_gradient = slope(beta + step * direction)
        moved, turned = step * direction, next_gradient - gradient
        beta, value, gradient = beta + moved, next_value, next_gradient
        if float(moved @ turned) > 1e-12:
            past = [*past[-_MEMORY + 1 :], (moved, turned)]
        if float(np.linalg.norm(gradient)) < enough:
            break
    return beta[:-1], float(beta[-1])


def balanced(y: Floats, strength: float) -> Floats:
    """Weights of rows by which the ones weigh as much as the zeros, to the power of ``strength``."""
    ones = float(y.sum())
    ratio = (len(y) - ones) / ones if ones else 1.0
    return np.where(y > 0, ratio**strength, 1.0)


def _downhill(gradient: Floats, past: list[tuple[Floats, Floats]]) -> Floats:
    out, used = gradient.copy(), list[float]()
    for moved, turned in reversed(past):
        used.append(float(moved @ out) / float(moved @ turned))
        out -= used[-1] * turned
    if past:
        out *= float(past[-1][0] @ past[-1][1]) / float(past[-1][1] @ past[-1][1])
    for (moved, turned), a in zip(past, reversed(used), strict=True):
        out += (a - float(turned @ out) / float(moved @ turned)) * moved
    return out
