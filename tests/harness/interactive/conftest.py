"""A desk whose server is behind a door, and tests that begin anew where a busy machine made the server late."""

import os
from collections.abc import Iterator

import pytest
from _pytest.runner import runtestprotocol

from harness.desk import ATTEMPTS, Desk
from harness.interactive.doorway import Doorway
from harness.interactive.sitting import Late

if "WHOKNOWS_HARNESS" not in os.environ:
    collect_ignore_glob = ["test_*.py"]

NEWS = "CONNECT raw.githubusercontent.com:443 HTTP/1.1"
"""Codex looks for news of itself whenever its terminal interface starts, and has no setting for that. It was refused."""


@pytest.fixture
def door(desk: Desk) -> Iterator[Doorway]:
    with Doorway(desk.url) as door:
        desk.url = door.url
        yield door
    desk.outside.asked[:] = [a for a in desk.outside.asked if a != NEWS]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """As always; and where the server was late, and only there, once more with everything new."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for _ in range(ATTEMPTS):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if not any(Late.__qualname__ in str(getattr(r.longrepr, "reprcrash", "")) for r in reports):
            break
        item._initrequest()
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
