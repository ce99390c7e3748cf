"""The words of a rule in Git: the experience, word for word, and where it held. Whatever stands in it stays a quotation."""

import unicodedata

from whoknows.domain.proposal import Experience, Proposal, ProposalDecision

_HEADING = 80
"""Characters of a heading, and of the first line of a commit."""


def subject(proposal: Proposal) -> str:
    return f"Rule: {_first_line(proposal.stated)}"


def section(proposal: Proposal, decision: ProposalDecision) -> str:
    """A Markdown section that ends with a line break."""
    lines = [f"## {_escaped(_first_line(proposal.stated))}", "", *_quoted(proposal.stated.statement.content), ""]
    by = _escaped(decision.decided_by.name)
    lines += [f"Held in {len(proposal.projects)} projects; confirmed by {by} on {decision.at:%Y-%m-%d}.", ""]
    for e in proposal.experiences:
        lines.append(
            f"- {_escaped(e.project_id)}, {_escaped(e.author.space)}, {e.created_at:%Y-%m-%d} (memory {e.statement.id}):"
        )
        lines += [f"  {q}" for q in _quoted(e.statement.content)]
    return "\n".join((*lines, "", f"<!-- proposal {proposal.id} -->", ""))


def _first_line(e: Experience) -> str:
    line = next((part.strip() for part in (e.statement.title or e.statement.content).splitlines() if part.strip()), "")
    return line if len(line) <= _HEADING else f"{line[: _HEADING - 1].rstrip()}…"


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.splitlines()]


def _escaped(text: str) -> str:
    """A name or a line as words of a paragraph: no line break, and nothing that Markdown would take for its own."""
    plain = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    return "".join(f"\\{c}" if c in "\\`*_[]<>#!|" else c for c in plain)
