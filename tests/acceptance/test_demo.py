"""The demonstration: it shows what it says, or ends with an error."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_story_is_true_and_ends_by_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "demo.story", "--fast"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing leaks" in done.stdout
    assert "5434" in done.stdout
