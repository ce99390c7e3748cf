"""What a publication says of its original and its copy."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from whoknows.domain.audience import Audience, Layer
from whoknows.domain.ids import AudienceId, PrincipalId, new_memory_id, new_publication_id
from whoknows.domain.memory import Category, Isolation, Memory, State
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.publication import Publication, PublicationState, origin_changed, shown_state

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A, T = Principal(PrincipalId(1), Kind.AGENT, "A"), Principal(PrincipalId(2), Kind.TEAM, "T")
ORIGINAL = Memory(
    id=new_memory_id(), audience=Audience(AudienceId(1), Layer.PRIVATE, A, (A,), None, None), content="x", title=None,
    category=Category.FACT, subject=None, tags=(), author=A, state=State.ACTIVE, isolation=Isolation.AGENT, project_id=None,
    session_id=None, task_id=None, version=3, content_hash="h", created_at=NOW, updated_at=NOW,
)  # fmt: skip
READY = Publication(new_publication_id(), ORIGINAL.id, T, A, PublicationState.READY, new_memory_id(), 3, "h", NOW, NOW, None)


@pytest.mark.parametrize(
    ("publication", "original", "changed"),
    [
        (READY, ORIGINAL, False),
        (READY, replace(ORIGINAL, version=4), True),
        (READY, replace(ORIGINAL, content_hash="other"), True),
        (READY, None, False),
        (replace(READY, state=PublicationState.DELETED, memory=None, version=None, content_hash=None), ORIGINAL, False),
    ],
)
def test_the_original_has_changed_where_it_is_another_version_than_the_copy_shows(
    publication: Publication, original: Memory | None, changed: bool
) -> None:
    assert origin_changed(publication, original) is changed


@pytest.mark.parametrize(
    ("state", "copy", "shown"),
    [
        (PublicationState.READY, State.ACTIVE, PublicationState.READY),
        (PublicationState.READY, State.HELD, PublicationState.HELD),
        (PublicationState.READY, None, PublicationState.READY),
        (PublicationState.WITHDRAWN, State.WITHDRAWN, PublicationState.WITHDRAWN),
        (PublicationState.PENDING, State.HELD, PublicationState.PENDING),
    ],
)
def test_a_copy_that_is_held_is_not_told_as_ready(state: PublicationState, copy: State | None, shown: PublicationState) -> None:
    held = None if copy is None else replace(ORIGINAL, state=copy)
    assert shown_state(replace(READY, state=state), held) is shown
