"""`whoknows mcp`: the tools for a program that starts its servers itself and talks to them over standard input and output."""

from whoknows.cli.keychain import required_key, server_url
from whoknows.cli.options import AsAgent, AsJson


def mcp(agent: AsAgent = None, as_json: AsJson = False) -> None:  # noqa: ARG001 - what is wrong at the start is told as JSON
    """Serve the tools over standard input and output.

    Those of WHOKNOWS_URL, until the program that started this closes its side: for programs that cannot speak to
    `WHOKNOWS_URL/mcp` themselves, or would wait for it at their start. With the server down, tools answer with an error.
    """
    from whoknows.hooks.caller import Caller
    from whoknows.hooks.relay import serve

    url = server_url()
    serve(Caller(url, agent or "", required_key(url)), 0, 1, "-")
