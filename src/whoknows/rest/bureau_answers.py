"""Answers of the Bureau: cases for their operator, and the stage for everybody, field by field."""

from whoknows.domain.case import Answer, CardView, CaseView, HitCard, Opened
from whoknows.domain.script import AskStep, Knowledge, Language, PublishStep, Script, Step, WhisperStep
from whoknows.domain.stage import StageEvent, StagePicture
from whoknows.rest import answers
from whoknows.rest.answers import Json


def script(s: Script) -> Json:
    return {
        "id": s.id,
        "title": {language: s.title.speak(language) for language in Language},
        "intro": {language: s.intro.speak(language) for language in Language},
        "roles": [{"id": r.id, "name": {language: r.name.speak(language) for language in Language}} for r in s.roles],
        "steps": len(s.steps),
    }


def opened(o: Opened) -> Json:
    return {"case": o.case, "language": o.language, "id": o.key_id, "key": o.secret}


def case(view: CaseView) -> Json:
    """For the operator alone."""
    language = view.case.language
    return {
        "case": view.case.name,
        "script": view.script.id,
        "title": view.script.title.speak(language),
        "intro": view.script.intro.speak(language),
        "language": language,
        "founded_at": view.case.founded_at,
        "reset_at": view.case.reset_at,
        "roles": [
            {
                "role": r.role.id,
                "name": r.role.name.speak(language),
                "persona": r.role.persona.speak(language),
                "cards": [_card(c) for c in r.cards],
            }
            for r in view.roles
        ],
        "board": [answers.memory(m) for m in view.board],
        "steps": [_step(s, language) for s in view.script.steps],
    }


def said(a: Answer) -> Json:
    return {
        "role": a.role,
        "answer": a.text,
        "mode": a.mode,
        "reason": a.reason,
        "outcome": a.knowledge,
        "trace": {
            "trace_id": a.trace.id,
            "question": a.trace.question,
            "asked_at": a.trace.asked_at,
            "searched": [{"space": s.space, "why": s.why} for s in a.trace.searched],
            "hits": [_hit(h) for h in a.hits],
            "outcome": a.knowledge,
            "arms": a.trace.mode,
            "took_ms": a.trace.took_ms,
            "mode": a.mode,
            "degraded": a.degraded,
        },
    }


def stage(name: str, s: StagePicture) -> Json:
    return {
        "case": name,
        "script": s.script,
        "title": s.title,
        "language": s.language,
        "roles": [{"id": r.id, "name": r.name, "last": None if r.last is None else event(r.last)} for r in s.roles],
        "board": [{"content": c.content, "tags": c.tags, "origin": c.origin, "at": c.at} for c in s.board],
        "last_event": s.last_event,
    }


def event(e: StageEvent) -> Json:
    return {
        "id": e.id,
        "kind": e.kind,
        "role": e.role,
        "outcome": None if e.known is None else Knowledge.KNOWN if e.known else Knowledge.UNKNOWN,
        "mode": e.mode,
        "searched": e.searched,
        "at": e.at,
    }


def _card(c: CardView) -> Json:
    return {
        "id": c.memory.id,
        "content": c.memory.content,
        "tags": c.memory.tags,
        "card": c.card,
        "locked": True,
        "published_as": c.published_as,
        "version": c.memory.version,
        "created_at": c.memory.created_at,
    }


def _hit(h: HitCard) -> Json:
    origin = None if h.origin is None else answers.origin(h.origin)
    return {"id": h.id, "content": h.content, "place": h.place, "space": h.space, "origin": origin, "score": h.score}


def _step(step: Step, language: Language) -> Json:
    told: Json = dict.fromkeys(("kind", "role", "text", "card", "expect", "place"))
    match step:
        case WhisperStep(role, card):
            return told | {"kind": "whisper", "role": role, "text": card.text.speak(language), "card": card.id}
        case AskStep(role, question, expect, card, place):
            asked = {"kind": "ask", "role": role, "text": question.speak(language)}
            return told | asked | {"card": card, "expect": expect, "place": place}
        case PublishStep(card):
            return told | {"kind": "publish", "card": card}
