"""Parameters that several gateways give their statements: the scope, filters, the place of a page, and what the arms index."""

from collections.abc import Sequence
from uuid import UUID

from pgvector import HalfVector

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters
from whoknows.errors import Invalid
from whoknows.policy.standing import ReadScope
from whoknows.ports import IndexTerms, Vector
from whoknows.stores.postgres.session import Params


def scoped(scope: ReadScope) -> Params:
    """The parameters of the predicate."""
    return {"tenant": scope.tenant, "reader": scope.reader, "audiences": scope.ids, "reviews": sorted(scope.reviews)}


def filtered(filters: Filters) -> Params:
    return {
        "project_id": filters.project_id,
        "or_global": filters.or_global,
        "session_id": filters.session_id,
        "task_id": filters.task_id,
        "category": None if filters.category is None else str(filters.category),
        "tags": list(filters.tags),
        "layer": filters.layer,
        "state": None if filters.state is None else str(filters.state),
        "general": filters.general,
        "distilled": filters.distilled,
        "batch": filters.batch,
    }


def place(cursor: str | None) -> UUID | None:
    """The row that a page goes on behind. Raises Invalid for what is no cursor."""
    before = None if cursor is None else uuid_or_none(cursor)
    if cursor is not None and before is None:
        raise Invalid("this is no cursor: take `next_cursor` of an answer", field="cursor")
    return before


def uuid_or_none(cursor: str) -> UUID | None:
    # What is no id is asked for like one that is not there.
    try:
        return UUID(cursor)
    except ValueError:
        return None


def index_params(memory: MemoryId, index: IndexTerms, vectors: Sequence[Vector], pending: bool) -> Params:
    return {"id": memory, "pending": pending, **terms(index), "vectors": halfvecs(vectors)}


def terms(index: IndexTerms | None) -> Params:
    """Of the lexical arm; NULL in each where its words stay as they are."""
    return {
        "terms": None if index is None else list(index.terms),
        "frequencies": None if index is None else list(index.frequencies),
        "length": None if index is None else index.length,
    }


def halfvecs(vectors: Sequence[Vector]) -> list[HalfVector]:
    return [HalfVector(list(v)) for v in vectors]
