"""The Bureau as people see it: what was searched and met, each role's locked cards, the board, the stage."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.output import counted, plain, table, text, when

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]

_WORDS: dict[str, tuple[str, str]] = {
    "searched": ("检索范围", "searched"),
    "known": ("命中", "hit"),
    "unknown": ("未命中", "no hit"),
    "own": ("私有记忆", "own memory"),
    "board": ("公告板", "board"),
    "took": ("耗时", "took"),
    "mode": ("模式", "mode"),
    "evidence": ("证据模式", "evidence"),
    "full": ("模型模式", "full"),
    "locked": ("锁定", "locked"),
    "published": ("锁定，副本已公开", "locked, a copy is on the board"),
    "empty": ("公告板是空的。", "The board is empty."),
    "from": ("来自", "from"),
    "whispered": ("已耳语给", "whispered to"),
    "first": ("已公开到公告板", "is on the board now"),
    "again": ("早已公开，还是同一个副本", "was on the board already: the same copy"),
    "opened": ("开局", "opened"),
    "reset": ("重新开局", "reset"),
    "nothing": ("还没有发生什么", "nothing yet"),
    "no_card": ("没有卡片 {card}：cards 会列出卡片和序号", "there is no card {card}: `cards` shows them with their numbers"),
    "no_step": ("剧本没有下一步了", "the script suggests no further step"),
}
_EVENTS: dict[str, tuple[str, str]] = {
    "whispered": ("听到了一句耳语", "was whispered to"),
    "asked": ("被问到", "was asked"),
    "published": ("一张卡片已公开", "a card was made public"),
}


def word(name: str, language: str) -> str:
    """A word of the panel, in Chinese or English."""
    both = _WORDS.get(name)
    return name if both is None else both[0 if language == "zh" else 1]


def scripts(console: "Console", page: Json) -> None:
    rows = [
        (s["id"], s["title"]["zh"], s["title"]["en"], ", ".join(r["id"] for r in s["roles"]), str(s["steps"]))
        for s in page["items"]
    ]
    console.print(table(("script", "标题", "title", "roles", "steps"), rows))


def opened(console: "Console", made: Json) -> None:
    console.print(text(f"{made['case']}\n{made['key']}"), soft_wrap=True)


def case(console: "Console", c: Json) -> None:
    """Every role's cards, numbered through, and the board."""
    console.print(text(f"{c['title']} · {c['case']}", "bold"))
    console.print(text(c["intro"], "dim"))
    number = 0
    for role in c["roles"]:
        console.print(text(f"\n{role['name']} ({role['role']})", "bold"))
        for card in role["cards"]:
            number += 1
            state = word("published" if card["published_as"] else "locked", c["language"])
            console.print(text(f"  {number:>2}. [{state}] {card['content']}"))
            console.print(text(f"      {card['id']}  {' '.join(card['tags'])}", "dim"))
    console.print(text(f"\n{word('board', c['language'])}", "bold"))
    board(console, c)


def board(console: "Console", c: Json) -> None:
    if not c["board"]:
        console.print(text(f"  {word('empty', c['language'])}"))
    for m in c["board"]:
        origin = m["origin"]["agent_id"] if m["origin"] else m["agent_id"]
        console.print(text(f"  · {m['content']} ({word('from', c['language'])} {origin})"))


def said(console: "Console", answer: Json, language: str) -> None:
    """What the role says, and the perspective: searched spaces, hit or miss, milliseconds, mode."""
    from rich.panel import Panel

    trace = answer["trace"]
    known = answer["outcome"] == "known"
    lines = [f"{word('searched', language)}: {' + '.join(s['space'] for s in trace['searched'])}"]
    if not known:
        lines.append(f"✗ {word('unknown', language)}")
    for hit in trace["hits"]:
        whence = word(hit["place"], language)
        if hit["origin"]:
            whence += f", {word('from', language)} {hit['origin']['agent_id']}"
        lines.append(f"✓ {word('known', language)} {hit['score']:.2f} [{whence}] {hit['content']}")
    why = f" ({answer['reason']})" if answer["reason"] else ""
    mode = word(answer["mode"], language)
    lines.append(f"{word('took', language)}: {trace['took_ms']:.0f} ms · {word('mode', language)}: {mode}{why}")
    if trace["degraded"]:
        lines.append(f"! {trace['degraded']}")
    console.print(text(f"{answer['role']}: {answer['answer']}"))
    console.print(Panel(text("\n".join(lines)), border_style="green" if known else "yellow", expand=False))


def published(console: "Console", done: Json, first: bool, language: str) -> None:
    copy = done["memory"] or {"content": done["original_id"]}
    console.print(text(f"“{copy['content']}” {word('first' if first else 'again', language)}"))


def outcome(steps: int, failed: int, language: str) -> str:
    """How a play by itself went."""
    if language == "zh":
        return f"共 {steps} 步，" + (f"{failed} 步与预期不符" if failed else "全部符合预期")
    return f"{counted(steps, 'step')}, " + (f"{failed} other than expected" if failed else "all as expected")


def stage(console: "Console", s: Json) -> None:
    console.print(text(f"{s['title']} · {s['case']}", "bold"))
    for role in s["roles"]:
        last = role["last"]
        console.print(
            text(f"  {role['name']}: {word('nothing', s['language']) if last is None else _happened(last, s['language'])}")
        )
    console.print(text(word("board", s["language"]), "bold"))
    if not s["board"]:
        console.print(text(f"  {word('empty', s['language'])}"))
    for card in s["board"]:
        console.print(text(f"  · {card['content']} ({word('from', s['language'])} {card['origin']})"))


def event_line(event: Json) -> str:
    role = f"  {event['role']}" if event["role"] else ""
    outcome = f"  {event['outcome']}  {' + '.join(event['searched'])}" if event["outcome"] else ""
    return plain(f"{when(event['at'])}  {event['kind']}{role}{outcome}")


def _happened(event: Json, language: str) -> str:
    outcome = f": {word(event['outcome'], language)}" if event["outcome"] else ""
    both = _EVENTS.get(event["kind"])
    happened = word(event["kind"], language) if both is None else both[0 if language == "zh" else 1]
    return f"{happened}{outcome}"
