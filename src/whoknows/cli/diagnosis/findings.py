"""Findings of the doctor: what was looked at, how it stands, and what to do."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Health(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """``advice`` is what to do; empty where all is well."""

    about: str
    health: Health
    detail: str
    advice: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def ok(about: str, detail: str) -> Finding:
    return Finding(about, Health.OK, detail)


def warn(about: str, detail: str, advice: str) -> Finding:
    return Finding(about, Health.WARN, detail, advice)


def fail(about: str, detail: str, advice: str) -> Finding:
    return Finding(about, Health.FAIL, detail, advice)
