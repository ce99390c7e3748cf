"""What pages ask for right after they stand: rows of the matrix, a narrower choice, an answer, what goes on below."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx

from whoknows.console.paths import CONSOLE


@dataclass(frozen=True, slots=True)
class Part:
    """Asked for as htmx does: with the token of the session's forms. Without ``fields`` by GET."""

    name: str
    path: str
    fields: Mapping[str, str] | None = None

    def ask(self, client: httpx.Client, token: str) -> None:
        headers = {"HX-Request": "true", "X-CSRF-Token": token}
        method = "GET" if self.fields is None else "POST"
        answer = client.request(method, CONSOLE + self.path, data=self.fields, headers=headers)
        answer.raise_for_status()
        if "hx-retarget" in answer.headers:
            raise RuntimeError(f"{self.name} was answered by a notice: {answer.text[:200]}")


def token_of(client: httpx.Client) -> str:
    return _found(r'name="csrf" value="([0-9a-f]+)"', client.get(f"{CONSOLE}/memory").text)


def parts(client: httpx.Client, question: str) -> Iterator[Part]:
    matrix, shelves = client.get(f"{CONSOLE}/knows").text, client.get(f"{CONSOLE}/memory").text
    columns = _found(r'name="columns" value="([^"]+)"', matrix)
    marks = _found(r'data-marks="([^"]+)"', matrix).split()
    deep = len(marks) // 2
    far = {"columns": columns, "place": str(50 * deep), "before": marks[deep - 1], "until": marks[deep]}
    memory = _found(r'data-memory="([^"]+)"', matrix)
    reader = _found(r'data-space="([^"]+)"', matrix)
    cursor = _found(r'name="cursor" value="([^"]+)"', shelves)
    shelf = _found(r'name="shelf" value="([^"]+)"', shelves)
    yield Part("rows of the matrix, far down", "/knows/rows", far)
    yield Part("the matrix, narrowed", "/knows", {"kind": "fact"})
    yield Part("the reason of a cell", "/knows/why", {"memory": memory, "reader": reader})
    yield Part("memories, narrowed", "/memory", {"kind": "fact"})
    yield Part("memories of a tag", "/memory", {"tag": "tag12"})
    yield Part("more of a shelf", "/memory/more", {"shelf": shelf, "cursor": cursor})
    yield Part("a question on the memory page", "/memory", {"text": question})
    yield Part("a memory's own page", f"/memory/{memory}")
    yield Part("a memory's readers", f"/knows/of/{memory}")
    yield Part("news of the gate", "/gate/news")
    yield Part("conversations", "/chat/talks")


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise RuntimeError(f"nothing on the page is like {pattern}")
    return found[1]
