"""Why there is no memory this time: a word for the log, never a text."""

from __future__ import annotations


class Ignored:
    """``with Ignored():`` what the system refuses within changes nothing; `contextlib.suppress` takes 5 ms to load."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, OSError)


class Fault(Exception):
    """``counts``: whether it says something about the server, so that after some of them it is left alone for a while."""

    def __init__(self, code: str, *, counts: bool = True) -> None:
        super().__init__(code)
        self.code = code
        self.counts = counts
