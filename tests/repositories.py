"""Real Git repositories for the tests, made with the program."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLD = (
    "# ADR 0004: One track\n\n- Status: Accepted\n- Date: 2026-06-22\n\n## Decision\n\nThere is one track of memory for all.\n"
)
NEW = (
    "# ADR 0007: Three lines\n\n- Status: Proposed\n- Date: 2026-07-01\n- Supersedes: ADR 0004 (one track), ADR 0006\n\n"
    "## Context\n\nADR 0004 kept one track, because nobody had asked for more. It coupled what should be apart.\n\n"
    "## Decision\n\nThere are three independent lines of memory, each with its own store and index.\n\n"
    "## Consequences\n\n" + "Every line is memorised and retrieved by itself, and none waits for another. " * 30 + "\n"
)  # fmt: skip
MIDDLE = (
    "# ADR 0006: A second track\n\n- Status: Accepted\n- Date: 2026-06-30\n\n## Decision\n\n"
    "Skills are a second track of memory.\n\n"
    "## Consequences\n\n" + "Both tracks are written in one pass over the same text. " * 40 + "\n"
)  # fmt: skip
LESSON = "# Lesson: staging\n\nStaging keeps its database on port 5433, never 5432.\n"

TOPICS: dict[str, str] = {
    "0003-lockers.md": "# 0003: Parcels wait in lockers\n\n- Status: Accepted\n- Date: 2026-01-10\n\n## Decision\n\n"
    "Couriers leave each parcel in a steel locker by the harbour gate, and text its four-digit code.\n",
    "0004-布告栏.md": "# 0004：值班表贴在布告栏\n\n状态：已采纳\n日期：2026-01-12\n\n"
    "## 决定\n\n每周一把值班表打印出来，贴在食堂门口的布告栏。\n",
    "0009-by-hand.md": "# 0009: Delivery by hand\n\n- Status: Accepted\n- Date: 2026-03-02\n- Supersedes: 0003\n\n"
    "## Context\n\n0003 made people walk, because nobody was at the counter then.\n\n## Decision\n\n"
    "Everything is handed over in person against a signature.\n",
    "0010-visitors.md": "# 0010: Visitors\n\n- Status: Accepted\n- Date: 2026-03-03\n\n## Decision\n\n"
    "A visitor gets a code for the gate; helmets hang in a locker.\n",
    "0011-短信.md": "# 0011：通知改用短信\n\n状态：提议\n日期：2026-03-04\n取代：0004\n\n"
    "## 背景\n\n因为 0004 要有人走到门口才看得到。\n\n"
    "## 决定\n\n由系统逐人发送。\n",
    "0012-菜单.md": "# 0012：菜单\n\n状态：已采纳\n日期：2026-03-05\n\n## 决定\n\n食堂的菜单每周打印一次。\n",
}
"""Records of which the newer say nothing of the topic of the older, beside others that share words with it."""
ASKED_OF_TOPICS = (
    ("In which steel locker by the harbour gate is my parcel?", "0009: Delivery by hand", "steel locker"),
    ("Who texts the four-digit code for the locker?", "0009: Delivery by hand", "steel locker"),
    ("值班表贴在食堂门口的哪个布告栏？", "0011：通知改用短信 [proposed]", "布告栏"),
    ("值班表是每周一打印吗", "0011：通知改用短信 [proposed]", "布告栏"),
)
"""(question in the words of an old record, title of the new one, words of the old one)"""


@dataclass
class Repository:
    """``repo.commit({"a.md": "…", "b.md": None})`` writes and deletes; ``repo("mv", "a.md", "b.md")`` is the program itself."""

    path: Path

    def __call__(self, *arguments: str) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
        done = subprocess.run(["git", *who, *arguments], cwd=self.path, env=env, capture_output=True, check=True)
        return done.stdout.decode(errors="replace").strip()

    def commit(self, files: dict[str, str | bytes | None]) -> str:
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", "change")
        return self("rev-parse", "HEAD")


def repository(path: Path, files: dict[str, str | bytes | None] | None = None) -> Repository:
    path.mkdir(parents=True, exist_ok=True)
    made = Repository(path)
    made("init", "--quiet")
    if files is not None:
        made.commit(files)
    return made


def decisions(path: Path) -> Repository:
    """Three records, of which the newest overturns two, and a lesson."""
    files: dict[str, str | bytes | None] = {
        "docs/0004-one-track.md": OLD,
        "docs/0006-a-second-track.md": MIDDLE,
        "docs/0007-three-lines.md": NEW,
        "lessons/staging.md": LESSON,
        "src/main.py": "print('never indexed')\n",
    }
    return repository(path, files)
