"""A server like `whoknows serve` that kills itself at a step of publishing, when it is told to: for measurements only."""

import argparse
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import uvicorn

from whoknows import __version__
from whoknows.bootstrap import background, build, install
from whoknows.flows.publish import Step
from whoknows.rest.app import create_app
from whoknows.settings import Settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--orders", type=Path, required=True, help="a file that names the step to die at, while there is one")
    given = parser.parse_args()
    settings = Settings.read()
    installation = install(settings)
    service = build(settings, installation)
    publish = replace(service.publish, reached=dying(given.orders))
    service = replace(service, publish=publish, publications=replace(service.publications, publish=publish))
    app = create_app(
        service, body_bytes=settings.body_bytes, version=__version__, lifespan_tasks=background(service, installation)
    )
    uvicorn.run(app, host="127.0.0.1", port=given.port, log_level="error", access_log=False)


def dying(orders: Path) -> Callable[[Step], Awaitable[None]]:
    """Obeys a file that names a step: when that one is reached the process is gone, and so is the file."""

    def ordered(step: Step) -> bool:
        try:
            return orders.read_text("utf-8") == step
        except FileNotFoundError:
            return False

    async def obey(step: Step) -> None:
        if ordered(step):
            os.unlink(orders)
            os.kill(os.getpid(), signal.SIGKILL)

    return obey


if __name__ == "__main__":
    main()
