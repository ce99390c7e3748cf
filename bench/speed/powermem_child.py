"""PowerMem on its SQLite store, run by a Python that has it: texts, questions and their vectors in, durations out, as JSON.

Standard library and PowerMem only: this file runs in an environment of its own.
"""

import json
import logging
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

AGENT = "reader"
_WARM = 3


class GivenVectors:
    """Stands in for PowerMem's embedder: the vectors are made beforehand, so no time is spent on a model."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return self._vectors[text]


def main() -> None:
    given: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    folder = Path(sys.argv[2])
    powermem: Any = import_module("powermem")

    logging.disable(logging.CRITICAL)
    memory = powermem.Memory(
        {
            "vector_store": {"provider": "sqlite", "config": {"database_path": str(folder / "powermem.db")}},
            "llm": {"provider": "openai", "config": {"api_key": "unused", "model": "unused"}},  # never asked: infer=False
            "embedder": {"provider": "mock", "config": {"embedding_dims": given["dimensions"]}},
            "telemetry": {"enable_telemetry": False},
            "audit": {"enabled": False},
        }
    )
    stand_in = GivenVectors(given["vectors"])
    memory.embedding = stand_in
    memory.storage.embedding_service = stand_in
    began = time.perf_counter()
    for text in given["texts"]:
        memory.add(text, agent_id=AGENT, infer=False)
    adding = time.perf_counter() - began
    for question in given["questions"][:_WARM]:
        memory.search(question, agent_id=AGENT, limit=10)
    seconds: list[float] = []
    found = 0
    for question in given["questions"]:
        began = time.perf_counter()
        answer = memory.search(question, agent_id=AGENT, limit=10)
        seconds.append(time.perf_counter() - began)
        found += len(answer["results"])
    Path(sys.argv[3]).write_text(json.dumps({"adding": adding, "seconds": seconds, "found": found}), "utf-8")


if __name__ == "__main__":
    main()
