"""Driver errors become errors of the project, here and nowhere else."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from whoknows import errors

_REFUSALS = {
    "may_not_write": "writing there needs the right to write",
    "may_not_source": "a source belongs to an administrator, an owner of its team, or the member whose memory it is",
    "read_only_index": "it stands in a source, and is read by those of the source",
    "may_not_change": "only its author, or an owner of its team, may change this",
    "observation_is_derived": "an observation has the words and the readers of what it rests on: change those, or delete it",
    "not_your_task": "this key does not belong to that task",
    "not_your_agent": "this key may not act as that agent",
    "not_the_author": "only the author may do this",
    "not_publishable": "only a current private memory of one's own, no copy and bound to no session or task, can be published",
    "not_private": "only a private memory that is not bound to a session can be shared",
    "no_account": "there is no account behind this key: use a member's, or that of a main agent that works for one",
    "no_workplaces": "workplaces belong to an account: use a member's key, or that of a main agent, and none for a task",
    "egress_not_yours": "what leaves of a bank is for the bank itself, an owner of the team, or an administrator to say",
    "egress_forbidden_by_another": "another forbade it: who forbade it, the bank's owner or the administrator, must allow it",
    "permission_missing": "this key lacks the permission for that",
    "not_a_main_agent": "only a main agent injects and opens tasks; a sub-agent passes on what it was allowed to pass on",
    "not_a_descendant": "one gives to one's own descendants only, and never to oneself",
    "not_yours_to_give": "this is not yours to give to that agent",
    "not_on_the_task": "the task is not open for both: its opener puts agents on it",
    "impersonate_required": "a further key for a principal, or its account, needs the permission `impersonate` or its own key",
}


@contextmanager
def translated() -> Generator[None]:
    """Raise what the driver says as an error of the project."""
    try:
        yield
    except pg.InsufficientPrivilege as e:
        code = (e.diag.message_primary or "").strip()
        if code == "unknown_reader":
            raise errors.NotFound("no such agent, member or team") from e
        if code == "unknown_memory":
            raise errors.NotFound("there is no such memory") from e
        if code == "source_changed":
            raise errors.Concurrent("the memory that is quoted was changed at this very moment: try again") from e
        if code == "unknown_source":
            raise errors.NotFound("there is no such source") from e
        if code == "no_such_document":
            raise errors.Invalid(
                "a section is part of a document of yours with the same readers and project", field="part_of"
            ) from e
        if code == "sync_lost":
            raise errors.Concurrent(
                "the synchronisation took too long and was given up, or the source was emptied: try again"
            ) from e
        if code == "gate_changed":
            raise errors.Concurrent("the gate of the team was changed at this very moment: try again") from e
        if code == "stage_unreachable":
            raise errors.StageUnreachable from e
        if code in _REFUSALS:
            raise errors.Forbidden(_REFUSALS[code], reason_code=code) from e
        if code == "task_closed":
            raise errors.TaskClosed from e
        raise errors.Forbidden("the database refused this", reason_code="refused_by_database") from e
    except pg.UniqueViolation as e:
        match e.diag.constraint_name:
            case "memories_one_of_a_kind":
                raise errors.DuplicateMemory from e
            case "tenants_name_key" | "principals_tenant_id_kind_name_key" | "sources_name":
                raise errors.NameTaken from e
            case "project_remotes_pkey":
                raise errors.RemoteTaken from e
            case _:
                raise errors.Concurrent from e
    except (pg.DeadlockDetected, pg.SerializationFailure, pg.LockNotAvailable) as e:
        raise errors.Concurrent from e
    except (pg.DiskFull, pg.OutOfMemory) as e:
        raise errors.StoreFull from e
    except (pg.UntranslatableCharacter, pg.CharacterNotInRepertoire) as e:
        raise errors.Invalid("the text holds characters that cannot be stored") from e
    except pg.QueryCanceled as e:
        raise errors.StoreUnavailable("the database took too long") from e
    except (PoolTimeout, PoolClosed, psycopg.OperationalError, psycopg.InterfaceError) as e:
        raise errors.StoreUnavailable from e
