"""The store port on PostgreSQL: transactions with their gateways."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from psycopg import OperationalError

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.egress import Endpoint
from whoknows.domain.ids import MemoryId, TenantId
from whoknows.domain.session import Session
from whoknows.domain.trace import Trace
from whoknows.errors import Forbidden, WhoKnowsError
from whoknows.ports import Jobs, Tx
from whoknows.stores.postgres.arms import PostgresArms
from whoknows.stores.postgres.banks import PostgresBanks
from whoknows.stores.postgres.cases import PostgresCases
from whoknows.stores.postgres.citations import PostgresCitations
from whoknows.stores.postgres.console_sessions import PostgresConsoleSessions
from whoknows.stores.postgres.context import PostgresContext
from whoknows.stores.postgres.conversations import PostgresConversations
from whoknows.stores.postgres.corrections import PostgresCorrections
from whoknows.stores.postgres.credentials import PostgresCredentials
from whoknows.stores.postgres.directory import PostgresDirectory
from whoknows.stores.postgres.distillations import PostgresDistillations
from whoknows.stores.postgres.egress import NOTE, PostgresEgress, note_params
from whoknows.stores.postgres.gate import PostgresGate
from whoknows.stores.postgres.handover import PostgresHandover
from whoknows.stores.postgres.harness_reports import PostgresHarnessReports
from whoknows.stores.postgres.hook_turns import PostgresHookTurns
from whoknows.stores.postgres.jobs import PostgresJobs
from whoknows.stores.postgres.listener import Listener
from whoknows.stores.postgres.measures import PostgresMeasures
from whoknows.stores.postgres.memories import PostgresMemories
from whoknows.stores.postgres.observations import PostgresObservations
from whoknows.stores.postgres.prompts import PostgresPrompts
from whoknows.stores.postgres.proposals import PostgresProposals
from whoknows.stores.postgres.publications import PostgresPublications
from whoknows.stores.postgres.records import ADD_TRACE, PostgresRecords, trace_params
from whoknows.stores.postgres.session import Database, Sql
from whoknows.stores.postgres.sources import PostgresSources
from whoknows.stores.postgres.workplaces import PostgresWorkplaces


class PostgresTx:
    """The gateways of one transaction."""

    def __init__(self, sql: Sql) -> None:
        self.memories = PostgresMemories(sql)
        self.arms = PostgresArms(sql)
        self.directory = PostgresDirectory(sql)
        self.credentials = PostgresCredentials(sql)
        self.records = PostgresRecords(sql)
        self.prompts = PostgresPrompts(sql)
        self.context = PostgresContext(sql)
        self.conversations = PostgresConversations(sql)
        self.cases = PostgresCases(sql)
        self.publications = PostgresPublications(sql)
        self.handover = PostgresHandover(sql)
        self.observations = PostgresObservations(sql)
        self.proposals = PostgresProposals(sql)
        self.sources = PostgresSources(sql)
        self.citations = PostgresCitations(sql)
        self.egress = PostgresEgress(sql)
        self.gate = PostgresGate(sql)
        self.banks = PostgresBanks(sql)
        self.corrections = PostgresCorrections(sql)
        self.distillations = PostgresDistillations(sql)
        self.console_sessions = PostgresConsoleSessions(sql)
        self.measures = PostgresMeasures(sql)
        self.workplaces = PostgresWorkplaces(sql)
        self.harness_reports = PostgresHarnessReports(sql)
        self.hook_turns = PostgresHookTurns(sql)


class PostgresStore:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._listener = Listener(database.dsn)

    async def open(self) -> None:
        await self._database.open()
        async with self._database.jobs() as sql:
            await PostgresJobs(sql).settle_events()

    async def close(self) -> None:
        await self._listener.close()
        await self._database.close()

    async def authenticate(self, secret_hash: bytes) -> Credential | None:
        async with self._database.request(None, read_only=True) as sql:
            return await PostgresCredentials(sql).authenticate(secret_hash)

    async def find_session(self, token_hash: bytes) -> Session | None:
        async with self._database.request(None) as sql:
            return await PostgresConsoleSessions(sql).find(token_hash)

    @asynccontextmanager
    async def write(self, caller: Caller) -> AsyncGenerator[Tx]:
        if caller.seen_as:
            raise Forbidden("with the eyes of another, one only reads", reason_code="seen_as_reads_only")
        async with self._database.request(caller) as sql:
            yield PostgresTx(sql)

    @asynccontextmanager
    async def read(self, caller: Caller) -> AsyncGenerator[Tx]:
        async with self._database.request(caller, read_only=True) as sql:
            yield PostgresTx(sql)

    @asynccontextmanager
    async def jobs(self) -> AsyncGenerator[Jobs]:
        async with self._database.jobs() as sql:
            yield PostgresJobs(sql)

    async def add_trace(self, caller: Caller, trace: Trace) -> None:
        await self._database.at_once(caller, ADD_TRACE, trace_params(trace, caller))

    async def note_egress(self, caller: Caller, endpoint: Endpoint, memories: Sequence[MemoryId], own: bool = False) -> None:
        await self._database.at_once(caller, NOTE, note_params(endpoint, memories, own))

    async def answers(self) -> bool:
        try:
            async with self._database.request(None, read_only=True) as sql:
                return await sql.one("SELECT 1 AS one") is not None
        except (WhoKnowsError, OperationalError, TimeoutError):
            return False

    def changes(self, tenant: TenantId) -> AsyncIterator[None]:
        return self._listener.changes(tenant)
