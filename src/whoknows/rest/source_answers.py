"""Answers about sources, as JSON."""

from whoknows.domain.source import Source
from whoknows.flows.index_source import Synced
from whoknows.rest.answers import Json


def source(s: Source) -> Json:
    return {
        "source_id": s.id,
        "name": s.name,
        "kind": s.location.kind,
        "locator": s.location.locator,
        "audience": s.owner.space,
        "revision": s.revision,
        "documents": s.documents,
        "synced_at": s.synced_at,
        "created_at": s.created_at,
    }


def synced(done: Synced) -> Json:
    return {
        "source": source(done.source),
        "revision": done.revision,
        "documents": done.documents,
        "unchanged": done.unchanged,
        "added": done.added,
        "changed": done.changed,
        "renamed": [{"was": was, "path": path} for was, path in done.renamed],
        "removed": done.removed,
        "unreadable": [{"path": f.path, "why": f.fault} for f in done.unreadable],
        "findings": [{"path": d.path, "check": d.check, "message": d.message} for d in done.doubts],
    }
