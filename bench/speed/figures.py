"""Figures and their targets, as a table and as JSON, and the machine that they are of."""

import json
import math
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

_BEGAN = time.monotonic()


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. ``at_most`` or ``at_least`` is the target; without either it is only reported."""

    part: str
    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if math.isnan(self.value):
            return False
        if self.at_most is not None:
            return self.value <= self.at_most
        if self.at_least is not None:
            return self.value >= self.at_least
        return None


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie; NaN of nothing."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.nan


def milliseconds(part: str, name: str, seconds: Sequence[float]) -> list[Figure]:
    """p50 and p95 of durations in seconds, in milliseconds."""
    return [Figure(part, f"{name}, p{int(100 * q)}", 1000 * quantile(seconds, q), "ms") for q in (0.5, 0.95)]


def say(text: str) -> None:
    """What is done now, on standard error, with the seconds so far and the load under which it is done."""
    print(f"… {time.monotonic() - _BEGAN:4.0f} s  {text} (load {os.getloadavg()[0]:.1f})", file=sys.stderr, flush=True)


def machine_before(quick: bool) -> dict[str, object]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load_before": os.getloadavg(),
        "quick": quick,
    }


def show(figures: Sequence[Figure]) -> None:
    table = Table("part", "what", "value", "target", "reached")
    for figure in figures:
        reached = {None: "", True: "yes", False: "NO"}[figure.reached]
        table.add_row(figure.part, figure.name, f"{figure.value:,.2f} {figure.unit}", _target(figure), reached)
    Console(width=140).print(table)


def write(figures: Sequence[Figure], about: dict[str, object], path: Path) -> None:
    """All figures, and what there is to know about the machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [asdict(f) | {"reached": f.reached} for f in figures]
    path.write_text(json.dumps({"about": about, "figures": rows}, indent=2) + "\n", "utf-8")


def _target(figure: Figure) -> str:
    if figure.at_most is not None:
        return f"<= {figure.at_most:g}"
    return "" if figure.at_least is None else f">= {figure.at_least:g}"
