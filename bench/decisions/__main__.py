"""Ask a paper of questions about decision records.

usage: PYTHONPATH=bench python -m decisions RECORDS PAPER.yaml [--variants CACHE]
With --variants, the same pipeline in process over records that were taken apart in other ways; CACHE keeps the vectors.
"""

import argparse
from pathlib import Path

from decisions.asked import ask, installed
from decisions.paper import questions, table
from decisions.variants import WAYS, measure
from quality.embed import Embedder
from whoknows.documents.document import document_of
from whoknows.documents.lineage import lineage_of


def main() -> None:
    arguments = argparse.ArgumentParser(description="Recall over decision records.")
    arguments.add_argument("records", type=Path)
    arguments.add_argument("paper", type=Path)
    arguments.add_argument("--variants", type=Path)
    given = arguments.parse_args()
    asked = questions(given.paper)
    if given.variants is not None:
        embedder = Embedder(given.variants)
        for way in WAYS:
            print(table(way.name, measure(given.records, asked, way, embedder, None)), flush=True)
        return
    documents = [document_of(f.read_text("utf-8"), f.relative_to(given.records).as_posix()) for f in _files(given.records)]
    superseded = frozenset(Path(o.old).name for o in lineage_of(documents).overturned)
    with installed(given.records) as there:
        for name, client in (("whoknows import", there.imported()), ("a registered source", there.registered())):
            print(table(name, [ask(client, q, superseded, given.records) for q in asked]), flush=True)


def _files(records: Path) -> list[Path]:
    return sorted(records.rglob("*.md"))


if __name__ == "__main__":
    main()
