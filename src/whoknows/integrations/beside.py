"""What is put beside a question: recalled memories of a project and of none, as the one block that everything uses."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from whoknows.client import AsyncWhoKnows
from whoknows.client.answers import RecalledMemory, Recollection
from whoknows.harness.block import FormerText, Record, SourceLine, recalled


async def ask(
    wk: AsyncWhoKnows, question: str, project_id: str | None, limit: int, min_score: float | None = None
) -> Recollection:
    """The best of the project and of no project; with no ``project_id`` all that the key may know."""
    return await wk.recall(question, limit=limit, min_score=min_score, project_id=project_id, or_global=project_id is not None)


def block_of(found: Recollection, project_id: str | None, most: int) -> str:
    """Empty where nothing is known."""
    return recalled(_records(found["memories"]), project_id or "", UUID(found["trace_id"]), most).text


def _records(memories: Sequence[RecalledMemory]) -> list[Record]:
    return [
        Record(
            id=UUID(m["id"]),
            text=m["content"],
            kind=m["category"],
            author=m["author"],
            owner=f"team:{m['team_id']}" if m["team_id"] else m["author"],
            at=datetime.fromisoformat(m["updated_at"]),
            score=m["score"],
            sources=[SourceLine(e["locator"], e["quote"], e["verified"]) for e in m["evidence"]],
            former=[FormerText(o["content"], datetime.fromisoformat(o["at"]), o["reason"]) for o in m["overturned"]],
        )
        for m in memories
    ]
