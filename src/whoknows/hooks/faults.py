"""Why there is no memory this time: a word for the log, never a text."""


class Fault(Exception):
    """``counts``: whether it says something about the server, so that after some of them it is left alone for a while."""

    def __init__(self, code: str, *, counts: bool = True) -> None:
        super().__init__(code)
        self.code = code
        self.counts = counts
