"""A play in the terminal: the suggested steps one by one, and the commands of whoever is the chief."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whoknows.cli import draw_bureau as draw
from whoknows.cli.output import console, say, show_line, text
from whoknows.cli.roles import role_of

if TYPE_CHECKING:
    from whoknows.client import WhoKnows

Json = dict[str, Any]

HELP = {
    "en": """ask ROLE QUESTION      what does it know about this?
whisper ROLE TEXT      tell it something that no other hears
publish NUMBER|ID      copy a card to the board (numbers: see `cards`)
cards                  what each role has for itself, and the board
board                  what everybody knows
stage                  what the big screen shows
next                   the next step that the script suggests
reset                  begin again
help                   this list
quit""",
    "zh": """ask 角色 问题           审问：这个角色知道什么？
whisper 角色 内容       耳语：只有这个角色听得到
publish 序号|ID         把一张卡片公开到公告板（序号见 cards）
cards                  每个角色自己的卡片，以及公告板
board                  所有人都知道的
stage                  大屏上看到的
next                   执行剧本建议的下一步
reset                  重新开局
help                   本列表
quit                   结束""",
}


@dataclass
class Playing:
    """``wk`` has the key of the operator of ``case``. With ``as_json`` everything is told in lines of JSON."""

    wk: "WhoKnows"
    case: str
    language: str
    as_json: bool
    done: int = 0
    """Suggested steps that were carried out."""
    shown: list[str] = field(default_factory=list[str])
    """Ids of the cards as they were numbered when they were shown last: a whisper since does not move the numbers."""

    def auto(self) -> int:
        """All suggested steps, in order. Answers how many turned out other than expected."""
        look = self._look()
        steps = look["steps"]
        if not self.as_json:
            console().print(text(f"{look['title']} · {look['case']}", "bold"))
            console().print(text(look["intro"], "dim"))
        failed = sum(not self.step(step, n + 1) for n, step in enumerate(steps))
        if self.as_json:
            show_line({"kind": "end", "steps": len(steps), "failed": failed})
        else:
            say(draw.outcome(len(steps), failed, self.language))
        return failed

    def step(self, step: Json, number: int) -> bool:
        """Carry one step out, and show it. False where it met something else than the script expects."""
        wrong: str | None = None
        match step["kind"]:
            case "whisper":
                self.whisper(step["role"], step["text"])
            case "publish":
                wrong = self._publish_card(step["card"])
            case _:
                wrong = self._expect(self.ask(step["role"], step["text"]), step)
        if self.as_json:
            show_line({"kind": "step", "number": number, "step": step, "as_expected": wrong is None, "why": wrong})
        elif wrong is not None:
            console().print(text(f"✗ step {number}: {wrong}", "red"))
        return wrong is None

    def command(self, line: str) -> bool:
        """Carry out what was typed. False to end."""
        verb, _, rest = line.strip().partition(" ")
        role, _, words = rest.strip().partition(" ")
        plain: dict[str, Callable[[], object]] = {
            "cards": self.show_cards,
            "board": lambda: draw.board(console(), self._look()),
            "stage": lambda: draw.stage(console(), self.wk.stage(self.case)),
            "next": self._next,
            "reset": self._reset,
            "help": lambda: console().print(text(HELP[self.language])),
        }
        match verb:
            case "":
                pass
            case "quit" | "exit":
                return False
            case "ask" if words:
                self.ask(self._role(role), words)
            case "whisper" if words:
                self.whisper(self._role(role), words)
            case "publish" if rest.strip():
                self.publish(rest.strip())
            case _ if verb in plain and not rest.strip():
                plain[verb]()
            case _:
                say(f"? {line.strip()}\n{HELP[self.language]}")
        return True

    def show_cards(self) -> None:
        look = self._look()
        self.shown = [c["id"] for role in look["roles"] for c in role["cards"]]
        if self.as_json:
            show_line({"kind": "cards", **look})
        else:
            draw.case(console(), look)

    def ask(self, role: str, question: str) -> Json:
        answer = self.wk.ask(self.case, role, question)
        if self.as_json:
            show_line({"kind": "ask", **answer})
        else:
            console().print(text(f"\n→ {role}? {question}", "bold"))
            draw.said(console(), answer, self.language)
        return answer

    def whisper(self, role: str, content: str) -> None:
        told = self.wk.whisper(self.case, role, content)
        if self.as_json:
            show_line({"kind": "whisper", "role": role, "memory_id": told["memory"]["id"]})
        else:
            console().print(text(f"\n→ {draw.word('whispered', self.language)} {role}: {content}", "bold"))

    def publish(self, card: str) -> None:
        """``card``: an id, or the number that `cards` shows."""
        named = self.shown[int(card) - 1] if card.isascii() and card.isdigit() and 0 < int(card) <= len(self.shown) else card
        chosen = next((c for role in self._look()["roles"] for c in role["cards"] if c["id"] == named), None)
        if chosen is None:
            say(draw.word("no_card", self.language).format(card=card))
            return
        done = self.wk.publish_card(self.case, chosen["id"])
        first = chosen["published_as"] is None
        if self.as_json:
            show_line({"kind": "publish", "first": first, "publication_id": done["publication_id"]})
        else:
            draw.published(console(), done, first, self.language)

    def _look(self) -> Json:
        return self.wk.case(self.case)

    def _role(self, typed: str) -> str:
        return role_of(typed, self.wk.stage(self.case)["roles"])

    def _publish_card(self, name: str) -> str | None:
        cards = [c for role in self._look()["roles"] for c in role["cards"] if c["card"] == name]
        if not cards:
            return f"nobody has the card {name!r}"
        self.publish(cards[0]["id"])
        copies = [m for m in self._look()["board"] if m["origin"] and m["origin"].get("memory_id") == cards[0]["id"]]
        return None if len(copies) == 1 else f"{len(copies)} copies of the card {name!r} are on the board"

    def _expect(self, answer: Json, step: Json) -> str | None:
        if answer["outcome"] != step["expect"]:
            return f"{step['role']} was to find it {step['expect']}, and found it {answer['outcome']}"
        if step["card"] is None:
            return None
        best = answer["trace"]["hits"][0]
        everything = [c for role in self._look()["roles"] for c in role["cards"]]
        if best["content"] not in [c["content"] for c in everything if c["card"] == step["card"]]:
            return f"the card {step['card']!r} was to answer, and it was {best['content']!r}"
        if step["place"] not in (None, best["place"]):
            return f"it was to come from {step['place']}, and came from {best['place']}"
        return None

    def _next(self) -> None:
        steps = self._look()["steps"]
        if self.done >= len(steps):
            say(draw.word("no_step", self.language))
            return
        self.done += 1
        self.step(steps[self.done - 1], self.done)

    def _reset(self) -> None:
        self.wk.reset_case(self.case)
        self.done = 0
        say(f"{draw.word('reset', self.language)}: {self.case}")
