"""Named SQL blocks in files, with the one predicate of visibility rendered into them."""

import re
from functools import cache
from importlib.resources import files
from typing import LiteralString, cast

VISIBLE = (
    "{m}.tenant_id = %(tenant)s AND {m}.audience_id = ANY (%(audiences)s::int[]) "
    "AND ({m}.expires_at IS NULL OR {m}.expires_at > now()) "
    "AND ({m}.state <> 'held' OR {m}.author_id = %(reader)s OR {m}.audience_id = ANY (%(reviews)s::int[]))"
)
"""Rule R1 as the explicit filter of every query over memories; row-level security derives it again."""

IN_SCOPE = (
    "{m}.tenant_id = %(tenant)s AND {m}.audience_id = ANY (%(audiences)s::int[]) "
    "AND ({m}.expires_at IS NULL OR {m}.expires_at > now())"
)
"""The same for tables that hold only active memories: the arms."""

OF_AUDIENCE = "{m}.tenant_id = %(tenant)s AND {m}.audience_id = ANY (%(audiences)s::int[])"
"""The same for side tables: authors, evidence, versions, events."""

FILTERED = (
    "(%(project_id)s::text IS NULL OR {m}.project_id = %(project_id)s) "
    "AND (%(session_id)s::text IS NULL OR {m}.session_id = %(session_id)s) "
    "AND (%(task_id)s::text IS NULL OR {m}.task_id = %(task_id)s) "
    "AND (%(category)s::text IS NULL OR {m}.category = %(category)s) "
    "AND (%(tags)s::text[] = '{}' OR {m}.tags @> %(tags)s::text[]) "
    "AND (%(state)s::text IS NULL OR {m}.state = %(state)s) "
    "AND (%(general)s::boolean IS NULL OR ({m}.project_id IS NULL) = %(general)s) "
    "AND (%(distilled)s::boolean IS NULL OR ({m}.batch_id IS NOT NULL) = %(distilled)s) "
    "AND (%(batch)s::uuid IS NULL OR {m}.batch_id = %(batch)s)"
)
"""What narrows a list; no part of the scope."""

LEFT = (
    "(%(project_id)s::text IS NULL OR {m}.project_id = %(project_id)s OR (%(or_global)s AND {m}.project_id IS NULL)) "
    "AND (%(general)s::boolean IS NULL OR ({m}.project_id IS NULL) = %(general)s) "
    "AND (%(category)s::text IS NULL OR {m}.category = %(category)s) "
    "AND (%(tags)s::text[] = '{}' OR {m}.tags @> %(tags)s::text[])"
)
"""What narrows a search; no part of the scope."""

_SCOPE = {"visible": VISIBLE, "in_scope": IN_SCOPE, "of_audience": OF_AUDIENCE}
_BLOCK = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_MACRO = re.compile(r"\{\{(\w+) (\w+)\}\}")


@cache
def blocks(file: str) -> dict[str, LiteralString]:
    """The named blocks of ``<file>.sql``, with the predicates filled in."""
    return {name: cast(LiteralString, render(text)) for name, text in raw_blocks(file).items()}


def raw_blocks(file: str) -> dict[str, str]:
    """The blocks as they stand in the file, macros unrendered."""
    parts = _BLOCK.split(files(__name__).joinpath(f"{file}.sql").read_text("utf-8"))
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def render(text: str, scope_clause: bool = True) -> str:
    """Fill the predicates in. Without ``scope_clause`` they become ``true``: for the proof that the second lock holds alone."""
    macros = {"filtered": FILTERED, "left": LEFT} | (_SCOPE if scope_clause else dict.fromkeys(_SCOPE, "true"))
    return _MACRO.sub(lambda m: macros[m[1]].replace("{m}", m[2]), text)
