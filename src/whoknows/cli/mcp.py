"""`whoknows mcp`: the tools for a program that starts its servers itself and talks to them over standard input and output."""

from whoknows.cli.keychain import required_key, server_url
from whoknows.cli.options import AsAgent, AsJson


def mcp(agent: AsAgent = None, as_json: AsJson = False) -> None:  # noqa: ARG001 - what is wrong at the start is told as JSON
    """Serve the tools over standard input and output.

    Those of WHOKNOWS_URL, until the program that started this closes its side: for programs that cannot speak to
    `WHOKNOWS_URL/mcp` themselves. With the server down, tools answer with an error.
    """
    import asyncio
    import logging

    import httpx

    from whoknows import __version__
    from whoknows.client.connection import settings
    from whoknows.mcp.stdio import TIMEOUT, serve_stdio

    logging.basicConfig(level="WARNING")  # on standard error: standard output is the protocol's
    logging.getLogger("mcp").setLevel("CRITICAL")
    url = server_url()
    found = settings(url, required_key(url), agent, TIMEOUT)

    async def run() -> None:
        async with httpx.AsyncClient(**found) as client:
            await serve_stdio(client, __version__)

    asyncio.run(run())
