"""Other ways to take records apart, measured in process: the same pipeline over pieces of other sizes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from decisions.paper import Answer, Grade, Question, grade
from quality.arms import cohort, readers
from quality.embed import Embedder
from quality.sets import Doc, LabelledSet
from whoknows.documents.chronicle import chronicle_of
from whoknows.documents.document import Document, document_of
from whoknows.documents.lineage import lineage_of
from whoknows.documents.pieces import By, Cut, Piece, pieces_of
from whoknows.recall.pipeline import recall

_DEFAULT = Cut()


@dataclass(frozen=True, slots=True)
class Way:
    """``titled``: the title stands before the text, as in the product. ``dated``: date and status stand in every section."""

    name: str
    cut: Cut = _DEFAULT
    by: By = By.AUTO
    titled: bool = True
    dated: bool = False
    heads: bool = True
    chronicle: bool = True


WAYS = (
    Way("as the product has it"),
    Way("without a chronicle", chronicle=False),
    Way("whole files", by=By.FILE),
    Way("sections of any length", Cut(most=20_000)),
    Way("pieces of 1,200", Cut(long=1_200, most=1_200)),
    Way("pieces of 800", Cut(long=800, most=800)),
    Way("without titles", titled=False),
    Way("without heads", heads=False),
    Way("date and status in every section", dated=True),
    Way("pieces of 1,200, date and status", Cut(long=1_200, most=1_200), dated=True),
)


def measure(records: Path, asked: Sequence[Question], way: Way, embedder: Embedder, floor: float | None) -> list[Grade]:
    documents = [document_of(f.read_text("utf-8"), f.relative_to(records).as_posix()) for f in sorted(records.rglob("*.md"))]
    lineage = lineage_of(documents)
    superseded = frozenset(o.old for o in lineage.overturned)
    pieces = [(d, p) for d in documents if d.path not in superseded for p in pieces_of(d, way.by, way.cut)]
    if not way.heads:
        pieces = [(d, p) for d, p in pieces if p.anchor or len(pieces_of(d, way.by, way.cut)) == 1]
    texts = [_text(d, p, way) for d, p in pieces]
    answers = [Answer((Path(d.path).name,), (p.quote,) if p.quote else ()) for d, p in pieces]
    for part in chronicle_of(documents, lineage) if way.chronicle else ():
        texts.append(f"{part.title}\n{part.text}")
        answers.append(Answer(tuple(Path(e.path).name for e in part.entries), tuple(e.quote for e in part.entries)))
    data = LabelledSet("records", tuple(Doc(str(n), "all", text, None) for n, text in enumerate(texts)), ())
    reader = readers(data, embedder)["all"]
    about = cohort(embedder)
    vectors = embedder.questions([q.text for q in asked]).tolist()
    place = {identity: n for n, identity in enumerate(reader.ids)}
    grades: list[Grade] = []
    for question, vector in zip(asked, vectors, strict=True):
        hits = recall(reader.ask(question.text, vector, about), limit=5, floor=floor).hits
        given = [answers[place[h.memory]] for h in hits]
        grades.append(grade(question, given, frozenset(Path(s).name for s in superseded), records))
    return grades


def _text(document: Document, piece: Piece, way: Way) -> str:
    parts = [piece.title if way.titled else "", piece.text]
    if way.dated and piece.anchor:
        said = "" if document.status is None else f"Status: {document.status.said}"
        parts.insert(1, f"{said} Date: {document.dated or ''}".strip())
    return "\n".join(p for p in parts if p)


def smaller(way: Way, most: int) -> Way:
    return replace(way, cut=Cut(most, most))
