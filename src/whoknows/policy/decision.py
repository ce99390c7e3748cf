"""Decisions: yes or no, with the reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowed:
    reason: str


@dataclass(frozen=True, slots=True)
class Denied:
    reason: str
    code: str = "forbidden"


Decision = Allowed | Denied
