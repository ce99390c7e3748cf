"""What keeps `connect` from doing its work on this machine, each with a code and with what to do."""


class ConnectFault(Exception):
    """Nothing was changed, or what was changed is as it was before. ``code`` is stable, ``detail`` is for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
