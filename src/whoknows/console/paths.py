"""Where the console lives, and which addresses a form may lead back to."""

CONSOLE = "/console"
SIGN_IN = f"{CONSOLE}/sign-in"


def within(path: str | None, otherwise: str = f"{CONSOLE}/") -> str:
    """``path`` if it is one of the console's own, else ``otherwise``: nobody is sent to a stranger's page."""
    fits = path is not None and path.startswith(f"{CONSOLE}/") and path.isascii() and path.isprintable()
    climbs = path is not None and ".." in path.lower().replace("%2e", ".")
    return path if fits and path is not None and not climbs and "\\" not in path and "//" not in path else otherwise
