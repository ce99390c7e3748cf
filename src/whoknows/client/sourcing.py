"""The verbs of sources, each as the call that it is."""

from whoknows.client.answers import Json, Memory, Page
from whoknows.client.call import Call, named, path


def add_source(kind: str, locator: str, name: str, audience: str) -> Call[Json]:
    """Register a Git repository (``git``) or a ``folder`` for ``team:t``, ``member:m`` or ``*``. Synchronise it to read it."""
    return Call("POST", "/sources", body={"kind": kind, "locator": locator, "name": name, "audience": audience})


def sources() -> Call[Page]:
    """Those whose documents one reads, by name."""
    return Call("GET", "/sources")


def sync_source(source_id: str) -> Call[Json]:
    """Bring the index to what the documents say now; answers what has changed. Safe to repeat."""
    return Call("POST", path("sources", source_id, "sync"), idempotent=True)


def remove_source(source_id: str) -> Call[Json]:
    """Take its documents out of the index. The source itself is untouched."""
    return Call("DELETE", path("sources", source_id))


def overturn(memory_id: str, by: str, reason: str | None = None) -> Call[Memory]:
    """The memory gives way to ``by``, which is there already: it comes back only as overturned. Safe to repeat."""
    return Call("POST", path("memories", memory_id, "supersede"), body=named({"by": by, "reason": reason}), idempotent=True)
