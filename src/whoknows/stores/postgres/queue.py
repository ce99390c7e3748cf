"""The queue of background jobs: procrastinate in the same database, as the jobs role."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from procrastinate import App, PsycopgConnector, RetryStrategy

from whoknows.domain.ids import MemoryId

QUEUE, TASK = "embedding", "embed"
"""As the function ``queue_embedding`` of the schema writes them."""
_RETRY = RetryStrategy(wait=2, linear_wait=5)
"""Seconds: 2, 7, 12 and so on; without end, since the text was accepted."""


class Queue:
    """Runs the jobs until it is cancelled, or the database goes away."""

    def __init__(self, dsn: str, embed: Callable[[MemoryId], Awaitable[bool]]) -> None:
        self._dsn = dsn
        self._embed = embed

    async def run(self) -> None:
        connector = PsycopgConnector(
            conninfo=self._dsn,
            min_size=1,
            max_size=4,
            kwargs={"options": "-c role=whoknows_jobs -c search_path=procrastinate,public -c client_min_messages=warning"},
        )
        app = App(connector=connector)

        @app.task(name=TASK, queue=QUEUE, retry=_RETRY)
        async def embed(
            memory_id: str,
        ) -> None:
            await self._embed(MemoryId(UUID(memory_id)))

        async with app.open_async():
            await app.run_worker_async(
                queues=[QUEUE],
                concurrency=1,
                install_signal_handlers=False,
                delete_jobs="successful",
                fetch_job_polling_interval=2.0,
                shutdown_graceful_timeout=5.0,
            )
