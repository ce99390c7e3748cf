"""The rule of publishing: who may copy which memory to which team (rules P1, P2)."""

from whoknows.domain.audience import Layer
from whoknows.domain.ids import PrincipalId
from whoknows.domain.memory import Memory
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.rules import may_write_team
from whoknows.policy.standing import Standing


def may_publish(standing: Standing, memory: Memory, team: PrincipalId) -> Decision:
    """An author publishes its own private memory, never a copy, where it may write."""
    if memory.audience.layer is Layer.INJECTED or memory.injected_by is not None:
        return Denied("what was injected is never published: ask whom it comes from", "read_only")
    if memory.origin is not None:
        return Denied("this is a copy: its author publishes the original", "read_only")
    if memory.audience.layer is not Layer.PRIVATE:
        return Denied("only a private memory is published; this one is its team's already", "not_private")
    if memory.author != standing.reader:
        return Denied("only the author may publish a memory", "not_the_author")
    if memory.audience.session is not None:
        return Denied(
            "this memory is bound to its session: write what is to be published without `isolation`", "bound_to_session"
        )
    if memory.audience.task is not None:
        return Denied("this memory is bound to its task: write what is to be published without `isolation`", "bound_to_task")
    decision = may_write_team(standing, team)
    return decision if isinstance(decision, Denied) else Allowed("author, and writer of the team")
