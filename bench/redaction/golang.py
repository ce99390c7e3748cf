"""The few expressions of Go in which gitleaks writes its samples: strings, sums, lists, and the calls that make secrets."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""\s*(?://[^\n]*\n\s*)*(?P<t>`[^`]*`|"(?:\\.|[^"\\])*"|\[\]string|map\[string\]string|[A-Za-z_][\w.]*|\d+|\.\.\.|[-+(){},:\[\]]|.)"""
)


@dataclass(frozen=True, slots=True)
class Text:
    """``secret`` is known where it was generated in one piece."""

    value: str
    secret: str = ""


@dataclass
class Go:
    seed: str
    generate: Callable[[str, random.Random], str]
    shapes: list[str]
    source: str
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)


class _Unknown(Exception):
    pass


def function_bodies(source: str) -> Iterator[str]:
    yield from (part for part in re.split(r"^func ", source, flags=re.M)[1:])


def evaluate(go: Go, body: str, start: int) -> list[Text]:
    """The texts of the expression at ``start``: those that can be evaluated."""
    tokens: list[str] = []
    depth = 0
    position = start
    while found := _TOKEN.match(body, position):
        token = found["t"]
        if tokens and depth == 0 and "\n" in body[position : found.start("t")] and tokens[-1] not in ("+", ","):
            break
        depth += (token in "({[") - (token in ")}]") if len(token) == 1 else 0
        if depth < 0:
            break
        tokens.append(token)
        position = found.end()
    return _Parser(go, tokens).texts()


class _Parser:
    def __init__(self, go: Go, tokens: list[str]) -> None:
        self._go = go
        self._tokens = tokens
        self._at = 0

    def texts(self) -> list[Text]:
        return self._list(0, len(self._tokens))

    def _list(self, start: int, end: int) -> list[Text]:
        """All samples within a range of tokens, however they are nested in append, [] and maps."""
        tokens = self._tokens
        if start >= end:
            return []
        head = tokens[start]
        if head == "append" or head in ("[]string", "map[string]string"):
            result: list[Text] = []
            for a, b in self._items(start + 2, end - 1):
                if head == "append" and tokens[a] == "tps" and b == a + 1:
                    continue
                begin = a + tokens[a:b].index(":") + 1 if head == "map[string]string" and ":" in tokens[a:b] else a
                result += self._list(begin, b - 1 if tokens[b - 1] == "..." else b)
            return result
        if head == "utils.GenerateSampleSecrets":
            try:
                a, b = (self._value(x, y) for x, y in self._items(start + 2, end - 1))
            except (_Unknown, ValueError):
                return []
            # Two of some thirty shapes each: otherwise a rule with one sample would count nothing beside one with shapes.
            shapes = self._go.rng.sample(self._go.shapes, 2)
            return [
                Text(s.replace("{i}", a.value).replace("{I}", a.value.upper()).replace("{s}", b.value), b.value) for s in shapes
            ]
        try:
            return [self._value(start, end)]
        except _Unknown:
            return []

    def _items(self, start: int, end: int) -> list[tuple[int, int]]:
        items: list[tuple[int, int]] = []
        depth, begin = 0, start
        for n in range(start, end):
            token = self._tokens[n]
            depth += (token in ("(", "{", "[")) - (token in (")", "}", "]"))
            if token == "," and depth == 0:
                if n > begin:
                    items.append((begin, n))
                begin = n + 1
        if begin < end:
            items.append((begin, end))
        return items

    def _value(self, start: int, end: int) -> Text:
        parts: list[Text] = []
        begin, depth = start, 0
        for n in range(start, end + 1):
            token = self._tokens[n] if n < end else "+"
            depth += (token in ("(", "{", "[")) - (token in (")", "}", "]"))
            if token == "+" and depth == 0:
                parts.append(self._atom(begin, n))
                begin = n + 1
        secret = "" if not any(p.secret for p in parts) else _joined(parts)
        return Text("".join(p.value for p in parts), secret)

    def _atom(self, start: int, end: int) -> Text:
        if start >= end:
            raise _Unknown
        head = self._tokens[start]
        if head[0] == "`":
            return Text(head[1:-1])
        if head[0] == '"':
            return Text(_unescaped(head[1:-1]))
        arguments = self._items(start + 2, end - 1) if start + 1 < end and self._tokens[start + 1] == "(" else []
        values = [self._value(a, b) for a, b in arguments]
        match head:
            case "secrets.NewSecret" | "newPlausibleSecret" | "secrets.NewSecretWithEntropy":
                made = self._go.generate(values[0].value, self._go.rng)
                return Text(made, made)
            case "utils.AlphaNumeric":
                return Text(f"[a-z0-9]{{{values[0].value}}}")
            case "utils.AlphaNumericExtended" | "utils.AlphaNumericExtendedShort" | "utils.AlphaNumericExtendedLong":
                return Text(f"[a-z0-9_-]{{{values[0].value}}}")
            case "utils.Hex":
                return Text(f"[a-f0-9]{{{values[0].value}}}")
            case "utils.Numeric":
                return Text(f"[0-9]{{{values[0].value}}}")
            case "utils.Hex8_4_4_4_12":
                return Text("[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}")
            case "utils.GenerateSampleSecret":
                return Text(f'{values[0].value}_api_token = "{values[1].value}"', values[1].value)
            case "b64.StdEncoding.EncodeToString" | "fmt.Sprintf" | "strings.ReplaceAll":
                raise _Unknown
            case _ if re.fullmatch(r"[A-Za-z_]\w*", head) and not arguments:
                return self._named(head)
            case _:
                raise _Unknown

    def _named(self, name: str) -> Text:
        found = re.search(rf"\b{name}\s*(?::=|=)\s*", self._go.source)
        if found is None:
            raise _Unknown
        texts = evaluate(self._go, self._go.source, found.end())
        if len(texts) != 1:
            raise _Unknown
        return texts[0]


def _joined(parts: list[Text]) -> str:
    # A secret is what was generated and the token that it is part of: "ghp_" + generated.
    whole = "".join(p.value for p in parts)
    begin = len("".join(p.value for p in parts[: next(n for n, p in enumerate(parts) if p.secret)]))
    last = max(n for n, p in enumerate(parts) if p.secret)
    end = len("".join(p.value for p in parts[: last + 1]))
    return whole[begin:end]


def _unescaped(text: str) -> str:
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")
