"""Identifiers: immutable, internal, and never made from names.

Numbers are internal to the store; UUIDs (RFC 9562, version 7) are what callers see.
"""

import os
import threading
import time
from typing import NewType
from uuid import UUID

TenantId = NewType("TenantId", int)
PrincipalId = NewType("PrincipalId", int)
AudienceId = NewType("AudienceId", int)
MemoryId = NewType("MemoryId", UUID)
CredentialId = NewType("CredentialId", UUID)
TraceId = NewType("TraceId", UUID)
PublicationId = NewType("PublicationId", UUID)


class _Order:
    """Hands out each number greater than the one before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def after(self, value: int) -> int:
        with self._lock:
            self._last = value if value > self._last else self._last + 1 + int.from_bytes(os.urandom(4))
            return self._last


_ORDER = _Order()


def uuid7() -> UUID:
    """A time-ordered UUID: 48 bits of Unix milliseconds, 74 random bits (RFC 9562, section 5.7).

    Within one process each is greater than the one before, also in the same millisecond and when the clock steps back
    (section 6.2): lists are ordered by them.
    """
    value = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=_ORDER.after(value))


def new_memory_id() -> MemoryId:
    return MemoryId(uuid7())


def new_trace_id() -> TraceId:
    return TraceId(uuid7())


def new_publication_id() -> PublicationId:
    return PublicationId(uuid7())


def new_credential_id() -> CredentialId:
    return CredentialId(uuid7())
