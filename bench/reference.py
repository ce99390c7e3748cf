"""Write anew what the code says: docs/reference and the description of the tools that is shipped."""

import sys
from dataclasses import fields
from inspect import getdoc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
from typer.main import get_command

import shipped_tools
from whoknows.bootstrap import assemble
from whoknows.cli.main import app
from whoknows.flows.limits import Limits
from whoknows.mcp.instructions import INSTRUCTIONS
from whoknows.mcp.tools import TOOLS
from whoknows.rest.app import create_app
from whoknows.rest.errors import STATUS
from whoknows.settings import CLIENT_SETTINGS, PREFIX, Settings

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
_NOTE = "<!-- written by `make docs`; change the code instead -->\n\n"


def pages() -> dict[str, str]:
    """File name → its whole text, the same at every call."""
    return {
        "settings.md": settings(),
        "cli.md": command_line(),
        "errors.md": errors(),
        "rest.md": routes(),
        "mcp.md": tools(),
    }


def settings() -> str:
    lines = [
        "# Settings\n",
        _NOTE
        + "Environment variables, read once at start. An unknown name is an error, so that a slip does not go unnoticed.\n",
        "| variable | default | |\n|---|---|---|",
    ]
    for f in fields(Settings):
        default = "in the user's data directory" if f.name == "data_dir" else f"`{f.default}`" if f.default != "" else ""
        lines.append(f"| `{PREFIX}{f.name.upper()}` | {default} | {f.metadata['help']} |")
    lines += ["\nOf clients (command line, Python):\n", "| variable | |\n|---|---|"]
    lines += [f"| `{name}` | {text} |" for name, text in CLIENT_SETTINGS.items()]
    return "\n".join(lines) + "\n"


def command_line() -> str:
    root = get_command(app)
    lines = ["# Command line\n", _NOTE + f"{root.help}\n", f"{root.epilog}\n"]
    lines += _commands(root, "whoknows")
    return "\n".join(lines)


def errors() -> str:
    lines = [
        "# Errors\n",
        _NOTE
        + "`application/problem+json`: `{type, title, status, code, detail, request_id}`, with `field` or `findings` where "
        "there are any. `code` is stable; 403 may carry a finer one, such as `not_the_author`.\n",
        "| status | code | |\n|---|---|---|",
    ]
    known = {(status, error.code, (getdoc(error) or "").splitlines()[0]) for error, status in STATUS.items()}
    lines += [f"| {status} | `{code}` | {text} |" for status, code, text in sorted(known)]
    return "\n".join(lines) + "\n"


def routes() -> str:
    lines = [
        "# REST routes\n",
        _NOTE + "The whole description, with schemas and examples, is the OpenAPI document that the server answers at "
        "`/openapi.json`.\n",
        "| method | path | | answers |\n|---|---|---|---|",
    ]
    nothing: Any = None  # only the description is read, nothing is called
    embedder: Any = SimpleNamespace(name="", address=None)
    paths = create_app(assemble(nothing, embedder, Limits()), body_bytes=1, version="").openapi()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            statuses = " ".join(sorted(operation["responses"]))
            lines.append(f"| {method.upper()} | `{path}` | {operation.get('summary', '')} | {statuses} |")
    return "\n".join(lines) + "\n"


def tools() -> str:
    lines = [
        "# Tools\n",
        _NOTE
        + "What `/mcp` and `whoknows mcp` offer ([how to use them](../how-to/mcp.md)). A program is told all of this by the "
        "server itself.\n",
        "## What the server says to a model\n",
        "\n".join(f"> {line}".rstrip() for line in INSTRUCTIONS.strip().split("\n")) + "\n",
    ]
    for tool in TOOLS.values():
        lines += [f"## `{tool.name}`\n", f"{_hinted(tool)} {tool.description}\n", "| argument | | |\n|---|---|---|"]
        wanted = tool.listed.input_schema.get("required", ())
        for name, schema in tool.listed.input_schema["properties"].items():
            told = schema.get("description", "").replace("\n", " ")
            lines.append(f"| `{name}`{'' if name in wanted else '?'} | {_form(schema)} | {told} |")
        assert tool.listed.output_schema is not None
        answered = ", ".join(f"`{name}`" for name in tool.listed.output_schema["properties"])
        lines.append(f"\nAnswers {answered}.\n")
    return "\n".join(lines)


def _hinted(tool: Any) -> str:
    hints = tool.hints
    return "**Reads.**" if hints.read_only_hint else "**Destroys.**" if hints.destructive_hint else "**Writes.**"


def _form(schema: dict[str, Any]) -> str:
    if schema["type"] == "array":
        return f"list of {_form(schema['items'])}"
    default = f" = `{schema['default']}`" if "default" in schema else ""
    if "enum" in schema:
        return ", ".join(f"`{v}`" for v in schema["enum"]) + default
    return {"string": schema.get("format", "text")}.get(schema["type"], schema["type"]) + default


def _commands(command: Any, name: str) -> list[str]:
    if not isinstance(command, click.Group) and not hasattr(command, "commands"):
        return [f"## `{name}`\n", f"{(command.help or '').strip()}\n", *_parameters(command)]
    lines: list[str] = []
    for sub, inner in command.commands.items():
        lines += _commands(inner, f"{name} {sub}")
    return lines


def _parameters(command: Any) -> list[str]:
    rows: list[str] = []
    for p in command.params:
        if p.name == "help":
            continue
        shown = (
            " ".join(f"`{o}`" for o in (*p.opts, *p.secondary_opts)) if p.param_type_name == "option" else f"`{p.name.upper()}`"
        )
        rows.append(f"| {shown} | {(getattr(p, 'help', None) or '').strip()} |")
    return ["| | |\n|---|---|", *rows, ""] if rows else []


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
        print(f"docs/reference/{name}")
    Path(shipped_tools.FILE).write_bytes(shipped_tools.written())
    print("src/whoknows/hooks/described.json")


if __name__ == "__main__":
    sys.exit(main())
