"""One database for the table of cases: each case is played once, in tenants of its own, beside all the others."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from databases import fresh, serve
from raw import connections_kept

from visibility_cases import CASES
from visibility_stage import Stage
from whoknows.bootstrap import Installation
from worlds import World


@pytest.fixture(scope="session")
def cases_installation(server: str) -> Iterator[Installation]:
    """A database of its own for the whole run."""
    with fresh(server, "cases") as installation:
        yield installation


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def founder(cases_installation: Installation) -> AsyncIterator[World]:
    """The installation's own world, in which tenants are founded."""
    service = await serve(cases_installation)
    yield World(service, cases_installation)
    await service.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stages(founder: World) -> AsyncIterator[dict[str, Stage]]:
    """Every case, played: when a test looks at one, the rows of all the others are there and must not matter."""
    played: dict[str, Stage] = {}
    for case in CASES:
        stage = Stage(case, founder.service, founder.installation.dsn)
        await stage.play(founder)
        played[case.name] = stage
    async with connections_kept(founder.installation.dsn):
        yield played


@pytest.fixture(scope="session")
def installation_once(server: str) -> Iterator[Installation]:
    """An empty database for tests that only look at the schema."""
    with fresh(server, "looked_at") as installation:
        yield installation
