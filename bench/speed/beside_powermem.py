"""Recall beside PowerMem 1.1.7: the same texts, vectors and questions, one agent, in one run, no model on either side."""

import json
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from speed.figures import Figure, milliseconds, quantile
from speed.fill import Floats, fill, scattered
from speed.world import World, world
from whoknows.bootstrap import assemble
from whoknows.flows.limits import Limits
from whoknows.flows.recall import Question
from whoknows.ports import Vector

RELEASE = "powermem==1.1.7"
_PART = "beside PowerMem"
_WARM = 20


class GivenVectors:
    """An embedder whose vectors were made beforehand."""

    name = "given"
    address = None

    def __init__(self, vectors: dict[str, list[float]], dimensions: int) -> None:
        self._vectors = vectors
        self.dimensions = dimensions
        self._other = [dimensions**-0.5] * dimensions

    async def embed_question(self, text: str) -> Vector:
        return self._vectors[text]

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self._vectors.get(t, self._other) for t in texts]

    async def close(self) -> None:
        return None


async def beside_powermem(texts: Sequence[str], questions: Sequence[str], around: Floats, python: Path | None) -> list[Figure]:
    """``python`` has PowerMem; None: an environment with it is made first, and removed afterwards."""
    random = np.random.default_rng(11)
    distinct = list(dict.fromkeys(texts))
    everything = [*distinct, *questions]
    vectors = dict(zip(everything, scattered(random, around, len(everything)).tolist(), strict=True))
    with TemporaryDirectory() as folder:
        async with world(Path(folder) / "whoknows", audiences=1) as ours:
            fill(ours, distinct, 1, around, vectors)
            mine = await _ours(ours, questions, vectors)
        theirs, adding = _theirs(Path(folder), distinct, questions, vectors, python)
    return [
        *milliseconds(_PART, f"WhoKnows, {len(distinct)} memories of one agent", mine),
        *milliseconds(_PART, "PowerMem, the same", theirs),
        Figure(_PART, "PowerMem adds", len(distinct) / adding, "rows/s"),
        Figure(_PART, "times faster, p50", quantile(theirs, 0.5) / quantile(mine, 0.5), "x", at_least=20),
    ]


async def _ours(ours: World, questions: Sequence[str], vectors: dict[str, list[float]]) -> list[float]:
    embedder = GivenVectors(vectors, ours.service.embedder.dimensions)
    service = assemble(ours.service.store, embedder, Limits())
    caller = await ours.caller()
    seconds: list[float] = []
    for question in [*questions[:_WARM], *questions]:
        began = time.perf_counter()
        found = await service.recall(caller, Question(question, min_score=0.0))
        seconds.append(time.perf_counter() - began)
        assert found.memories
    return seconds[_WARM:]


def _theirs(
    folder: Path, texts: Sequence[str], questions: Sequence[str], vectors: dict[str, list[float]], python: Path | None
) -> tuple[list[float], float]:
    given, answer = folder / "given.json", folder / "answer.json"
    dimensions = len(next(iter(vectors.values())))
    given.write_text(
        json.dumps({"texts": texts, "questions": list(questions), "vectors": vectors, "dimensions": dimensions}), "utf-8"
    )
    child = Path(__file__).with_name("powermem_child.py")
    command = [str(python or _environment(folder / "venv")), str(child), str(given), str(folder), str(answer)]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    said = json.loads(answer.read_text("utf-8"))
    assert said["found"], "PowerMem finds something"
    return said["seconds"], said["adding"]


def _environment(folder: Path) -> Path:
    print(f"making an environment with {RELEASE} …", file=sys.stderr)
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", RELEASE], check=True, stderr=subprocess.DEVNULL)
    return python
