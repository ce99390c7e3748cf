"""Every named SQL block: it prepares against a real database, and where it reads tenant data it carries the predicate."""

import re
from importlib.resources import files

import psycopg
import pytest

from whoknows.bootstrap import Installation
from whoknows.stores.postgres.sql import raw_blocks, render

FILES = sorted(f.name.removesuffix(".sql") for f in files("whoknows.stores.postgres.sql").iterdir() if f.name.endswith(".sql"))
BLOCKS = [(file, name) for file in FILES for name in raw_blocks(file)]

FRAGMENTS = {
    ("memories", "by_ids"),
    *(("conversations", n) for n in ("one", "older", "spoken")),
    *(("distillations", n) for n in ("one", "newest")),
    *(("corrections", n) for n in ("by_id", "newest", "between")),
    ("observations", "by_ids"),
    ("publications", "by_id"),
    *(("sources", n) for n in ("named", "under", "by_id", "all")),
    ("publications", "newest"),
    ("publications", "of_originals"),
}
"""Not statements by themselves: the gateway puts them behind ``select``."""

OF_TENANTS = (
    "memories", "versions", "evidence", "memory_authors", "documents", "postings", "passages", "events", "traces", "audit",
    "pending_embeddings", "idempotency", "tombstones", "audiences", "audience_grants", "principals", "memberships",
    "credentials", "credential_principals", "tenants", "publications",
    "cases", "stage_events", "prompts", "memory_uses",
    "conversations", "exchanges", "distillations", "distilled_messages", "distilled_facts", "distill_settings",
    "tasks", "task_agents", "injections", "copies", "ledger",
    "project_banks", "project_remotes", "corrections",
    "egress_rules", "egress_counts",
    "sources", "indexed", "overturnings", "console_sessions", "workplaces", "stage_changes",
)  # fmt: skip
"""Tables that a statement must not read without the predicate, or a reason."""

WITHOUT_PREDICATE = {
    ("sources", "select"): "no memories: the policy shows those of the reader's audiences, and of teams to administrators",
    ("records", "trace"): "one's own: filtered by tenant and asker",
    ("records", "newest_traces"): "one's own: filtered by tenant and asker; the flow leaves out what is invisible now",
    ("records", "audit"): "filtered by tenant; the policy shows what concerns the caller, or all with `audit`",
    ("records", "audit_position"): "the same rows, by the id that was shown",
    ("records", "pending_embeddings"): "one's own writes: filtered by author",
    ("records", "last_asked"): "one's own questions by this very key: filtered by asker",
    ("records", "claimed"): "one's own keys: filtered by principal",
    ("directory", "standing"): "the reader itself; the predicate is made from what this answers",
    ("directory", "standings"): "names are known within the tenant: filtered by it; no ways in",
    ("directory", "grants_of"): "ways into audiences that the caller sees: the ids come from scoped memories",
    ("directory", "find"): "names are known within the tenant: filtered by it",
    ("directory", "agents"): "names are known within the tenant: filtered by it",
    ("directory", "members"): "names are known within the tenant: filtered by it",
    ("directory", "teams"): "names are known within the tenant: filtered by it",
    ("directory", "looks"): "names are known within the tenant: filtered by it, and by whom lists name to the caller",
    ("handover", "ancestors"): "names are known within the tenant: filtered by it",
    ("handover", "given_to"): "one's own gifts: filtered by tenant and giver; no memories",
    ("handover", "tasks"): "those one opened or is on: filtered by tenant; the policies show no others",
    ("credentials", "list"): "no memories; the policy shows one's own keys, and to administrators those of the tenant",
    ("memories", "insert_version"): "an INSERT from the row that was written just now; policies check both sides",
    ("credentials", "bootstrap"): "run by the owner of the database, at first start",
    ("jobs", "pending"): "the jobs role, which no request can take",
    ("jobs", "failed"): "the jobs role, which no request can take",
    ("jobs", "sweep_traces"): "the jobs role, which no request can take",
    ("jobs", "sweep_events"): "the jobs role, which no request can take",
    ("jobs", "sweep_ledger"): "the jobs role, which no request can take",
    ("jobs", "sweep_keys"): "the jobs role, which no request can take",
    ("jobs", "settle_events"): "the jobs role, which no request can take",
    ("jobs", "release"): "the jobs role, which no request can take",
    ("egress", "forbidding"): "which banks forbid is known within the tenant, as their names are: filtered by it",
    ("egress", "rules"): "names are known within the tenant: filtered by it",
    ("egress", "sent"): "counts by audience: filtered by tenant and audiences; one's own words by the policy",
    ("jobs", "settle_stage"): "the jobs role, which no request can take",
    ("prompts", "layers"): "no memories: the tenant's global layer, and those of one's own account",
    ("prompts", "history"): "no memories: the tenant's global layer, and those of one's own account",
    ("cases", "find"): "the caller's own tenant, whether it is a case: filtered by tenant",
    ("cases", "events_after"): "public within the case, by its columns: filtered by tenant",
    ("cases", "holds_back"): "whether there is one more of them: filtered by tenant",
    ("cases", "last_events"): "public within the case, by its columns: filtered by tenant",
    ("cases", "newest_event"): "public within the case, by its columns: filtered by tenant",
    ("cases", "event_position"): "public within the case, by its columns: filtered by tenant",
    ("publications", "pending"): "one's own: filtered by publisher",
    ("publications", "select"): "one's own: filtered by tenant and publisher; memories are loaded under their own predicate",
    ("distillations", "heard"): "no memories: one account's, filtered by tenant and account",
    ("distillations", "followed"): "no memories: one account's, filtered by tenant and account",
    ("distillations", "last"): "no memories: one account's, filtered by tenant and account",
    ("distillations", "select"): "no memories: one account's, filtered by tenant and account",
    ("distillations", "messages"): "no memories: one account's, filtered by tenant and account",
    ("distillations", "facts"): "ids alone: one account's, filtered by tenant and account",
    ("distillations", "of_messages"): "ids alone: one account's, filtered by tenant and account",
    ("distillations", "settings"): "no memories: one account's, filtered by tenant and account",
    ("conversations", "page"): "one account's: filtered by tenant and account",
    ("conversations", "projects"): "one account's: filtered by tenant and account",
    ("conversations", "counts"): "one account's: filtered by tenant and account",
    ("conversations", "get"): "one account's: filtered by tenant and account",
    ("conversations", "select"): "one account's: filtered by tenant and account; its sources are loaded under the predicate",
    ("banks", "routing"): "the policy shows what goes to teams that one reads, and all to an administrator: filtered by tenant",
    (
        "banks",
        "routings",
    ): "the policy shows what goes to teams that one reads, and all to an administrator: filtered by tenant",
    ("banks", "holder"): "asked by an administrator, who sees all of the tenant: filtered by it",
    **{
        ("workplaces", n): "one account's: filtered by tenant and owner"
        for n in ("all", "holding", "connected", "projects", "changes")
    },
    **{("harness_reports", n): "figures of one account's: filtered by tenant and owner" for n in ("heard",)},
    ("hook_turns", "newest"): "one account's: filtered by tenant and owner; traces by who asked",
    ("citations", "overheard"): "one account's: filtered by tenant and account",
    ("gate", "level"): "the gate of a place that is known within the tenant: the policy filters by it",
    ("gate", "ledger"): "one's own: filtered by tenant and principal",
    ("records", "remember"): "one's own keys: filtered by principal",
    **{
        ("observation_jobs", name): "the jobs role, which no request can take"
        for name in ("due", "suspects", "statements", "around", "resting", "gate")
    },
}
"""Why a block that reads tenant data needs no predicate of memories. A new block must find its place."""


def statement(file: str, name: str) -> str:
    """The block as it is sent, with numbered parameters."""
    text = raw_blocks(file)[name]
    if (file, name) in FRAGMENTS:
        text = f"{raw_blocks(file)['select']} {text}"
    numbers: dict[str, int] = {}
    return re.sub(r"%\((\w+)\)s", lambda m: f"${numbers.setdefault(m[1], len(numbers) + 1)}", render(text))


@pytest.mark.parametrize(("file", "name"), BLOCKS)
def test_every_block_prepares(file: str, name: str, installation_once: Installation) -> None:
    with psycopg.connect(installation_once.dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute(f"PREPARE block AS {statement(file, name)}".encode())


@pytest.mark.parametrize(("file", "name"), BLOCKS)
def test_every_block_over_tenant_data_carries_the_predicate_or_a_reason(file: str, name: str) -> None:
    text = raw_blocks(file)[name]
    read = set(re.findall(r"\b(?:FROM|JOIN|UPDATE)\s+(\w+)\b(?!\s*\()", text)) & set(OF_TENANTS)
    if (file, name) in WITHOUT_PREDICATE:
        assert read, "it reads nothing of a tenant: take it off the list"
        return
    guarded = set(re.findall(r"\{\{\w+ (\w+)\}\}", text))
    for table, alias in re.findall(r"\b(?:FROM|JOIN|UPDATE)\s+(\w+) (\w+)\b", text):
        if table in OF_MEMORIES:
            assert alias in guarded, f"{table} {alias} is read without the predicate"
    assert not read or guarded or (file, name) in FRAGMENTS, f"{sorted(read)} without the predicate"


OF_MEMORIES = ("memories", "versions", "evidence", "memory_authors", "postings", "passages", "events")


def test_every_reason_is_about_a_block_that_exists() -> None:
    assert set(WITHOUT_PREDICATE) <= set(BLOCKS)
