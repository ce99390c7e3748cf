"""A long block in Chinese: a program that counts tokens, and guesses them by bytes, must not cut it."""

from harness.desk import Desk
from whoknows.domain.harness import Program

ASKED = "账务数据库的备份和恢复是怎么做的？"
SENTENCE = "账务数据库的第{n}号备份放在第{n}号机柜，恢复时先停写入，再核对第{n}号校验和，最后由第{n}组值班人员确认。"


def test_a_long_block_reaches_the_model_whole(desk: Desk, program: Program) -> None:
    folder = desk.folder("账务")
    desk.connect(program, folder, "账务")
    for n in range(12):
        desk.remembers("".join(SENTENCE.format(n=n * 100 + k) for k in range(12)), project_id="账务")
    desk.asks(program, ASKED, folder)
    block = desk.beside()
    assert len(block.encode()) > 10_000, "as long as what the programs cut by themselves"
    assert block.count("<whoknows-memory") == block.count("</whoknows-memory>") == 1
    assert "truncated" not in block
