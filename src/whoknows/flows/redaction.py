"""Redaction of all that a caller sends: placeholders in texts, a refusal where a placeholder cannot stand (rules W6)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from whoknows.domain.memory import Draft, Patch
from whoknows.errors import Finding, RefusedByGate
from whoknows.gate.redact import Redacted, redact

_NAMES = ("agent_id", "account", "team_id", "project_id", "session_id", "task_id")


@dataclass(frozen=True, slots=True)
class Redaction:
    """``hosts``: names of hosts and their addresses are taken out too. Call it before anything is embedded or kept."""

    hosts: bool = False

    def draft(self, draft: Draft) -> tuple[Draft, tuple[Finding, ...]]:
        """The draft without secrets and personal data, and what was taken. RefusedByGate for a secret in a quote or a name."""
        self.names(**{field: getattr(draft, field) for field in _NAMES})
        self.quote(draft.quote)
        found: list[Finding] = []
        clean = replace(
            draft,
            content=self.text(draft.content, "content", found),
            title=self.optional(draft.title, "title", found),
            tags=self.tags(draft.tags, found),
            source=self.optional(draft.source, "source", found),
            quote=self.optional(draft.quote, "quote", found),
            subject=self.optional(draft.subject, "subject", found),
            reason=self.optional(draft.reason, "reason", found),
            heard=None if draft.heard is None else self.clean(draft.heard),
        )
        return clean, tuple(found)

    def patch(self, patch: Patch) -> tuple[Patch, tuple[Finding, ...]]:
        """The same for an edit."""
        found: list[Finding] = []
        clean = replace(
            patch,
            content=self.optional(patch.content, "content", found),
            title=self.optional(patch.title, "title", found),
            tags=None if patch.tags is None else self.tags(patch.tags, found),
            subject=self.optional(patch.subject, "subject", found),
            reason=self.optional(patch.reason, "reason", found),
        )
        return clean, tuple(found)

    def text(self, text: str, field: str, found: list[Finding]) -> str:
        """``text`` with placeholders; ``found`` is told what was taken, where it stood in the original, and no more."""
        done = self._redacted(text)
        found += (Finding("redacted", f"{field}: replaced by [{h.kind}]", (h.start, h.end)) for h in done.hits)
        return done.text

    def optional(self, text: str | None, field: str, found: list[Finding]) -> str | None:
        return None if text is None else self.text(text, field, found)

    def tags(self, tags: Iterable[str], found: list[Finding]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.text(tag, "tags", found) for tag in tags))

    def clean(self, text: str) -> str:
        """A question, a message or a prompt: what is embedded, kept and sent to a model."""
        return self._redacted(text).text

    def quote(self, quote: str | None) -> None:
        """A quote is what stands in a source, character for character: without its secret it would be another."""
        done = None if quote is None else self._redacted(quote)
        if done is not None and done.holds_secret:
            raise RefusedByGate([_refusal("quote", "a quote", h.kind, (h.start, h.end)) for h in done.hits if h.is_secret])

    def names(self, **names: str | None) -> None:
        """Names are compared by equality: with a placeholder it would be another's."""
        for field, name in names.items():
            for hit in () if name is None else self._redacted(name).hits:
                if hit.is_secret:
                    raise RefusedByGate([_refusal(field, "a name", hit.kind, (hit.start, hit.end))])

    def _redacted(self, text: str) -> Redacted:
        return redact(text, with_hosts=self.hosts)


def _refusal(field: str, what: str, kind: str, span: tuple[int, int]) -> Finding:
    return Finding(
        "secret", f"{field}: {what} may not hold a secret (found: {kind}); leave it out, or cut it to what matters", span
    )
