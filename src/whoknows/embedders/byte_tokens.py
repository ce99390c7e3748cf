"""An upper bound of tokens, for where no tokenizer is installed."""


class ByteTokenizer:
    """No byte-level tokenizer makes more tokens than a text has bytes of UTF-8. Of Chinese it makes about half as many."""

    name = "upper bound (bytes)"

    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))
