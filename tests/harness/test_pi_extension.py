"""The extension for Pi by itself: it fits the types of the real Pi, and its own tests pass."""

import subprocess
from pathlib import Path

from harness.programs import MODULES, node

HERE = Path(__file__).parent / "pi_extension"


def test_it_fits_the_types_of_the_real_pi() -> None:
    done = _node(str(MODULES / "typescript" / "bin" / "tsc"), "-p", str(HERE / "tsconfig.json"))
    assert done.returncode == 0, done.stdout


def test_its_own_tests_pass() -> None:
    done = _node("--test", "--test-reporter=spec", *sorted(map(str, HERE.glob("*.test.ts"))))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fail 0" in done.stdout


def _node(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([node(), *arguments], capture_output=True, text=True, timeout=300, check=False)
