"""The words of the console in Chinese and English, read once from the package."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "words"


class Language(StrEnum):
    EN = "en"
    ZH = "zh"


class Words:
    """``words("frame.home")`` is that text; ``{name}`` in it is replaced by what is given. No such key is a fault.

    Where ``n`` is 1 and there is a text ``…_one``, it is that one.
    """

    def __init__(self, language: Language, texts: Mapping[str, str]) -> None:
        self.language = language
        self.texts = texts

    def __call__(self, key: str, **values: object) -> str:
        one = values.get("n") in (1, "1") and f"{key}_one" in self.texts
        text = self.texts[f"{key}_one" if one else key]
        return text.format(**values) if values else text

    def has(self, key: str) -> bool:
        return key in self.texts


@cache
def words(language: Language) -> Words:
    texts: dict[str, str] = {}
    for path in sorted((FOLDER / language).glob("*.yaml")):
        page: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8")) or {}
        texts |= {f"{path.stem}.{key}": str(text) for key, text in page.items()}
    return Words(language, texts)


def spoken(accepted: str) -> Language:
    """The language that a browser asks for by its Accept-Language."""
    for part in accepted.split(","):
        tag = part.partition(";")[0].strip().lower()
        if tag.startswith("zh"):
            return Language.ZH
        if tag.startswith("en"):
            return Language.EN
    return Language.EN
