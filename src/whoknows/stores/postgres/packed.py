"""Arrays of whole numbers to and from the database, without a Python object for each of their elements."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format

INT4_ARRAY, INT8_ARRAY = 1007, 1016
"""Type numbers of PostgreSQL."""
_INT8 = 20
_HEADER = 20
"""Bytes before the first element of a one-dimensional array: dimensions, flags, type, size, lower bound."""


class _PackedArray(Loader):
    format = Format.BINARY
    element: "np.dtype[Any]"

    def load(self, data: Buffer) -> NDArray[np.int64]:
        if len(bytes(data)) <= _HEADER:
            return np.empty(0, np.int64)
        return np.frombuffer(data, self.element, offset=_HEADER)["value"].astype(np.int64)


class Int8Array(_PackedArray):
    """``bigint[]``"""

    element = np.dtype([("size", ">i4"), ("value", ">i8")])


class Int4Array(_PackedArray):
    element = np.dtype([("size", ">i4"), ("value", ">i4")])


@dataclass(frozen=True, slots=True)
class Packed:
    """``bigint[]`` as it is sent."""

    sent: bytes


class PackedDumper(Dumper):
    format = Format.BINARY
    oid = INT8_ARRAY

    def dump(self, obj: Packed) -> bytes:
        return obj.sent


def packed(numbers: NDArray[np.int64]) -> Packed:
    if not len(numbers):
        return Packed(struct.pack(">3i", 0, 0, _INT8))
    elements = np.empty(len(numbers), Int8Array.element)
    elements["size"], elements["value"] = 8, numbers
    return Packed(struct.pack(">5i", 1, 0, _INT8, len(numbers), 1) + elements.tobytes())
