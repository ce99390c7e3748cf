"""What keeps a migration from being done, as one exception with a code and a sentence that says what to do."""


class MigrationFault(Exception):
    """Nothing was half done. ``code`` is stable, ``detail`` is for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
