"""Tables on the terminal: whatever the width, nothing of a text is cut off."""

import pytest

from whoknows.cli.output import console, table

ID = "01a22c6e-294f-7ba9-bdf5-973f6315ae40"
TEXT = "This repository uses pnpm, not npm, and always will."
ROW = (ID, "2026-11-30 12:29:06Z", "agent:wukong", "claude-code", "package-manager", TEXT)


@pytest.mark.parametrize("width", [80, 100, 110, 120, 160])
def test_every_word_is_shown_and_an_id_whole_where_there_is_room(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    console().print(table(("correction", "at", "bank", "in", "subject", "text"), [ROW]))
    shown = capsys.readouterr().out
    assert max(len(line) for line in shown.splitlines()) <= width
    start = shown.splitlines()[0].index("text")
    words = "".join(line[start:] for line in shown.splitlines()[2:]).replace(" ", "")
    assert words == TEXT.replace(" ", "")
    assert (ID in shown) is (width >= 110)
