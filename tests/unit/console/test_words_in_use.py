"""No word of the console is left over, and none that the code may need is missing in Chinese."""

import ast
import importlib
import re
from pathlib import Path

from whoknows.console import words as module
from whoknows.console.words import Language, words
from whoknows.domain.audience import Layer
from whoknows.errors import WhoKnowsError
from whoknows.stores.postgres import translate

CONSOLE = Path(module.__file__).parent
# A key in full, wherever it stands: t("a.b" if x else "a.c"), done(…, "memory.edited")
LITERAL = re.compile(r"""["']([a-z_]+\.[a-z0-9_.]+)["'](?!\s*~)""")
BEGUN = re.compile(r"""["']([a-z_]+\.[a-z0-9_]*)(?:["']\s*~|\{)""")
ENDINGS = ("_means", "_placeholder", "_save")
SPELT_OUT = {
    *("known_own", "known_board", "1", "2", "3", "4"),
    *(f"{kind}_{act}" for kind in ("agent", "member", "team") for act in ("create", "delete")),
    *(f"layer_{layer}" for layer in Layer),
}
"""Words that the code puts together of two."""
NEVER_ON_A_PAGE = {
    "configuration_fault",  # at the start
    "dimension_mismatch",  # at the start
    "host_not_allowed",  # before any page
    "idempotency_mismatch",  # forms carry no such key
    "invalid_json",  # forms are no JSON
    "origin_not_allowed",  # of the tools' door, which is no page
    "stage_taken_back",  # of an exchange with a program, behind the answer
    "unsupported_media_type",  # forms are forms
}


def keys(language: Language) -> set[str]:
    return set(words(language).texts)


def test_no_word_is_left_over() -> None:
    """Each is named in full, or put together of a beginning and a word that stands somewhere in the code."""
    said = "\n".join(p.read_text("utf-8") for p in [*CONSOLE.rglob("*.html"), *CONSOLE.rglob("*.py")])
    named, begun = set(LITERAL.findall(said)), set(BEGUN.findall(said))
    parts = [*CONSOLE.rglob("*.html"), *CONSOLE.parent.rglob("*.py"), *CONSOLE.parent.rglob("*.sql")]
    code = "\n".join(p.read_text("utf-8") for p in parts)
    spoken_of = {re.sub(r"[ ./-]", "_", w) for w in re.findall(r"""["']([A-Za-z0-9_./+ -]{1,60})["']""", code)} | SPELT_OUT

    def is_used(key: str) -> bool:
        key = key.removesuffix("_one") if key not in named else key
        rests = {key[len(b) :] for b in begun if key.startswith(b)}
        return key in named or any(r.removesuffix(e) in spoken_of for r in rests for e in ("", *ENDINGS) if r)

    assert not [k for k in sorted(keys(Language.EN) | keys(Language.ZH)) if not is_used(k)]


def test_every_fault_and_every_refusal_is_told_in_chinese() -> None:
    chinese = {k.removeprefix("errors.") for k in keys(Language.ZH) if k.startswith("errors.")}
    assert not codes() - chinese - NEVER_ON_A_PAGE
    assert not chinese - codes(), "nothing is refused like that"


def codes() -> set[str]:
    """Of errors, and the reasons for which the policy, the flows and the database refuse."""
    for part in ("console.errors", "rest.errors"):
        importlib.import_module(f"whoknows.{part}")
    refusals: dict[str, str] = vars(translate)["_REFUSALS"]
    found, kinds = set(refusals), WhoKnowsError.__subclasses__()
    for kind in kinds:
        kinds += kind.__subclasses__()
        found.add(kind.code)
    for path in CONSOLE.parent.rglob("*.py"):
        for call in (n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)):
            given = [k.value for k in call.keywords if k.arg == "reason_code"]
            given += call.args[1:2] if ast.unparse(call.func) == "Denied" else []
            found |= {str(v.value) for v in given if isinstance(v, ast.Constant)}
    return found
