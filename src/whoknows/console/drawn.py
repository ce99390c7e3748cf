"""Boards of the stage as pages show them: drawn once for all screens that look at the same picture."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from whoknows.console.words import Language
from whoknows.domain.stage import StagePicture


class Drawn:
    """Kept no longer than somebody is looking at the picture: what is deleted stays nowhere."""

    def __init__(self) -> None:
        self._boards: WeakKeyDictionary[StagePicture, dict[Language, str]] = WeakKeyDictionary()

    def once(self, shown: StagePicture, language: Language, draw: Callable[[], str]) -> str:
        boards = self._boards.setdefault(shown, {})
        if language not in boards:
            boards[language] = draw()
        return boards[language]
