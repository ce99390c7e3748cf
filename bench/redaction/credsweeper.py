"""Samples of CredSweeper: the lines of its sample files, and what the file of expected results calls a credential."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from redaction.sample import Sample

_OTHER = {
    "UUID",
    "Firebase Domain",
    "AWS S3 Bucket",
    "Tencent WeChat API App ID",
    "IPv4",
    "IPv6",
    "URL Credentials in path",
    "Nonce",
    "Salt",
}
"""Kinds that are no secrets by themselves: identifiers, hosts, and values that are public by design."""


def samples(root: Path) -> Iterator[Sample]:
    """One sample a line; a key over many lines is one sample. Files that are no text are left out."""
    labels: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    ignored: set[tuple[str, int]] = set()
    for found in json.loads((root / "tests/data/output.json").read_text()):
        for line in found["line_data_list"]:
            path = line["path"].removeprefix("./")
            if found["rule"] in _OTHER or (len(found["line_data_list"]) > 1 and "PEM" in found["rule"]):
                ignored.add((path, line["line_num"]))
            else:
                labels[path][line["line_num"]].add(line["value"])
    ignored |= _doubtful(root, labels)
    for path in sorted((root / "tests/samples").iterdir()):
        name = f"tests/samples/{path.name}"
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if "\0" in text or path.stat().st_size > 100_000:
            continue
        yield from _lines(name, text, labels[name], ignored)


def _doubtful(root: Path, labels: defaultdict[str, defaultdict[int, set[str]]]) -> set[tuple[str, int]]:
    # Lines that another mode of the project reports (documents, no model): neither secrets for sure nor clean for sure.
    doubtful: set[tuple[str, int]] = set()
    for name in ("doc.json", "no_ml.json", "depth_3_pedantic.json"):
        for found in json.loads((root / "tests/data" / name).read_text()):
            for line in found["line_data_list"]:
                place = (line["path"].removeprefix("./"), line["line_num"])
                if place[1] not in labels[place[0]]:
                    doubtful.add(place)
    return doubtful


def _lines(name: str, text: str, labels: dict[int, set[str]], ignored: set[tuple[str, int]]) -> Iterator[Sample]:
    seen: set[str] = set()
    known = {v[:12] for values in labels.values() for v in values if len(v) >= 8}
    for number, line in enumerate(text.splitlines(), 1):
        values = tuple(v for v in labels.get(number, ()) if v in line)
        if not line.strip() or line in seen or len(line) > 8000 or (name, number) in ignored:
            continue
        if not values and any(k in line for k in known):
            continue  # the password that is labelled on another line: no clean text
        if labels.get(number) and not values:
            continue  # the label is about a part that was decoded, or about several lines
        seen.add(line)
        yield Sample("CredSweeper", f"{name}:{number}", line, values)
