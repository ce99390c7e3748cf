"""The console's own files: style, scripts, signs. Each address names the file's content, so that it may be kept."""

import hashlib
from functools import cache
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from whoknows.console.paths import CONSOLE

FOLDER = Path(__file__).parent / "static"
_KEEP = "public, max-age=31536000, immutable"


@cache
def asset(path: str) -> str:
    """The address of the file ``path`` of the static folder, which changes when the file does."""
    mark = hashlib.sha256((FOLDER / path).read_bytes()).hexdigest()[:12]
    return f"{CONSOLE}/static/{path}?v={mark}"


class VersionedFiles(StaticFiles):
    def __init__(self) -> None:
        super().__init__(directory=FOLDER)

    async def get_response(self, path: str, scope: Scope) -> Response:
        found = await super().get_response(path, scope)
        found.headers["Cache-Control"] = _KEEP if scope["query_string"].startswith(b"v=") else "no-cache"
        return found
