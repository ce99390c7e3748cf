"""One server for all of it, and for each test a tenant, a home and a model of its own."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from acceptance.cli.conftest import start
from acceptance.two_servers import TwoServers
from harness.desk import Desk, sit_down
from harness.model_apis import ModelApis
from harness.outside import Outside
from whoknows.domain.harness import Program

if "WHOKNOWS_HARNESS" not in os.environ:
    collect_ignore_glob = ["test_*.py"]  # the programs are large: `make test-harness` fetches them and says where they are


@pytest.fixture(scope="session")
def servers() -> Iterator[TwoServers]:
    """One `whoknows serve` in a process of its own, with the embedder that it has by default."""
    # Not below pytest's own directory: the database, as another user, could not get there in a later run.
    served = TwoServers(Path(mkdtemp(prefix="whoknows-harness-")))
    try:
        served.all.append(start(served.home))
        assert served.all[0].key is not None
        served.key = served.all[0].key
        yield served
    finally:
        for server in served.all:
            if server.process.poll() is None:
                server.end(signal.SIGTERM)
        shutil.rmtree(served.home, ignore_errors=True)


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    with Outside() as outside:
        yield outside


@pytest.fixture(scope="session")
def figures() -> Iterator[list[str]]:
    """What was measured, shown at the end."""
    told: list[str] = []
    yield told
    print("", *told, sep="\n")


@pytest.fixture
def model(outside: Outside) -> Iterator[ModelApis]:
    """The double of the programs' model. Whatever a test does, nothing may leave this machine."""
    outside.asked.clear()
    with ModelApis() as model:
        yield model
    assert outside.asked == []
    assert model.strange == []


@pytest.fixture(params=list(Program), ids=str)
def program(request: pytest.FixtureRequest) -> Program:
    return request.param


@pytest.fixture
def desk(
    servers: TwoServers, model: ModelApis, outside: Outside, tmp_path: Path, figures: list[str], request: pytest.FixtureRequest
) -> Iterator[Desk]:
    """Ana at her machine: Claude Code, Codex and Pi work for her, and nothing is connected yet."""
    tenant = servers.tenant()
    sit_down(tenant, "ana")
    desk = Desk(tmp_path / "home", tenant, model, outside, servers.all[0].url)
    yield desk
    if desk.late:
        figures.append(f"{request.node.name}: asked again {len(desk.late)} times, since the server took more than a second")
