"""The report of a project for people, in Chinese and English: whether it may go on, and the figures that speak for it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from whoknows.cli.output import table, text, when
from whoknows.domain.harness import Stage
from whoknows.harness.wording import FATES, MISSING, REASONS, SUGGESTIONS, Said, words

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]


def report(console: "Console", told: Json, lang: str) -> None:
    """What is suggested and why; then every stage of the span in a table of its own; then what is still corrected."""
    since = "" if told["stage_since"] is None else _SINCE.of(lang, at=when(told["stage_since"]))
    places = _of(_PLACES, told["workplaces"], lang)
    console.print(text(_HEAD.of(lang, project=told["project_id"], stage=told["stage"], since=since, places=places), "bold"))
    console.print(text(_SPAN.of(lang, begin=when(told["since"]), end=when(told["until"])), "dim"))
    console.print(text(_suggested(told, lang), "green" if _goes_on(told) else "yellow"))
    for missing in told["missing"]:
        said = words(MISSING, missing["code"], lang, stage=told["stage"])
        console.print(text(_MISSING.of(lang, said=said), "yellow"))
    for figures in told["stages"]:
        console.print(text(""))
        span = _SPAN.of(lang, begin=when(figures["first"]), end=when(figures["last"]))
        console.print(table((figures["stage"], span), list(_rows(figures, told["floor"], lang))))
    if told["corrections"] is not None:
        _corrections(console, told["corrections"], lang)


def _suggested(told: Json, lang: str) -> str:
    to, present, said = told["suggestion"]["stage"], told["stage"], told["suggestion"]
    why = words(SUGGESTIONS, said["because"], lang, **said["values"])
    if to == present:
        return _STAY.of(lang, stage=present, why=why)
    return (_ON if _goes_on(told) else _BACK).of(lang, stage=to, project=told["project_id"], why=why)


def _goes_on(told: Json) -> bool:
    order = [str(s) for s in Stage]
    to, present = told["suggestion"]["stage"], told["stage"]
    return to in order and present in order and order.index(to) > order.index(present)


def _rows(f: Json, floor: float, lang: str) -> Iterator[tuple[str, str]]:
    rows: list[tuple[Said, str]] = [
        (_PROGRAMS, _counts(f["programs"], {}, lang)),
        (_SESSIONS, str(f["sessions"])),
        (_EVENTS, _EVENTS_OF.of(lang, events=f["events"], prompts=f["prompts"])),
        (_INJECTED, str(f["injected"])),
        (_EMPTY, str(f["empty"])),
        (_SKIPPED, _counts(f["skipped"], REASONS, lang)),
        (_DEGRADED, _counts(f["degraded"], REASONS, lang)),
        (_FAILED, _counts(f["failed"], REASONS, lang)),
        *((said, _amount(f[name], lang)) for name, said in _AMOUNTS.items()),
        (_SCORES, _scores(f["scores"], floor, lang)),
        (_SERVER, _LATENCY.of(lang, p50=f["latency"]["p50"], p95=f["latency"]["p95"])),
    ]
    if f["captured"] or f["captures"]["exchanges"]:
        c = f["captures"]
        rows += [
            (_HEARD, _HEARD_OF.of(lang, exchanges=c["exchanges"], nothing=c["nothing"], waiting=c["waiting"])),
            (_KEPT, _counts(c["facts"], FATES, lang)),
            (_NOT_KEPT, _counts(c["skipped"], REASONS, lang)),
        ]
    return ((label.of(lang), said) for label, said in rows)


def _corrections(console: "Console", c: Json, lang: str) -> None:
    console.print(text(""))
    counts = {p: len(c[p]["repeated"]) for p in ("before", "after")}
    console.print(text(_REPEATED.of(lang, weeks=_of(_WEEKS, c["weeks"], lang), **counts), "bold"))
    rows = [
        (_PERIODS[period].of(lang), r["count"], r["subject"], _GONE.of(lang) if r["text"] is None else r["text"])
        for period in ("before", "after")
        for r in c[period]["repeated"]
    ]
    if rows:
        console.print(table(("", *(h.of(lang) for h in _COLUMNS)), rows))


def _counts(counts: dict[str, int], table: Mapping[str, Said], lang: str) -> str:
    return _JOINT.of(lang).join(f"{n} × {words(table, code, lang)}" for code, n in counts.items()) or _NONE.of(lang)


def _amount(a: Json, lang: str) -> str:
    return _AMOUNT.of(lang, total=a["total"], median=a["prompt_median"], p95=a["prompt_p95"])


def _scores(s: Json | None, floor: float, lang: str) -> str:
    if s is None:
        return _NO_SCORES.of(lang, floor=floor)
    return _SCORES_OF.of(lang, lowest=s["lowest"], median=s["median"], highest=s["highest"], floor=floor)


def _of(forms: tuple[Said, Said], n: int, lang: str) -> str:
    return forms[n != 1].of(lang, n=n)


_HEAD = Said("{project} is {stage}{since}; {places}", "{project} 现在是 {stage} 阶段{since}；{places}")
_SINCE = Said(" since {at}", "，始于 {at}")
_PLACES = (Said("connected in 1 place", "在 1 处接入"), Said("connected in {n} places", "在 {n} 处接入"))
_SPAN = Said("{begin} to {end}", "{begin} 至 {end}")
_STAY = Said("suggestion: stay at {stage}: {why}", "建议：留在 {stage}。{why}")
_ON = Said("suggestion: on to {stage} (`whoknows stage {project} {stage}`): {why}",
           "建议：进到 {stage}（`whoknows stage {project} {stage}`）。{why}")  # fmt: skip
_BACK = Said("suggestion: back to {stage} (`whoknows stage {project} {stage}`): {why}",
             "建议：退回 {stage}（`whoknows stage {project} {stage}`）。{why}")  # fmt: skip
_MISSING = Said("missing: {said}", "缺少：{said}")
_PROGRAMS, _SESSIONS, _EVENTS = Said("programs", "程序"), Said("sessions", "会话"), Said("events", "事件")
_EVENTS_OF = Said("{events}, of which prompts: {prompts}", "{events} 次，其中提问 {prompts} 次")
_INJECTED = Said("got something", "得到内容")
_EMPTY = Said("nothing to add", "没有可补充的")
_SKIPPED = Said("left alone", "有意不处理")
_DEGRADED = Said("by words alone", "只按词检索")
_FAILED = Said("failed", "出错")
_AMOUNTS = {
    "memories": Said("memories added", "放入的记忆"),
    "tokens": Said("tokens added", "增加的 token"),
    "characters": Said("characters added", "增加的字符"),
}
_AMOUNT = Said("{total} in all; to a prompt {median} in the middle, {p95} at the 95th percentile",
               "共 {total}；每次提问中位数 {median}，第 95 百分位 {p95}")  # fmt: skip
_SCORES = Said("scores", "得分")
_SCORES_OF = Said("{lowest:.2f} to {highest:.2f}, in the middle {median:.2f}; the floor is {floor:.2f}",
                  "{lowest:.2f} 到 {highest:.2f}，中位数 {median:.2f}；门槛 {floor:.2f}")  # fmt: skip
_NO_SCORES = Said("none; the floor is {floor:.2f}", "无；门槛 {floor:.2f}")
_SERVER = Said("server's own time", "服务器用时")
_LATENCY = Said(
    "{p50:.0f} ms in the middle, {p95:.0f} ms at the 95th percentile", "中位数 {p50:.0f} 毫秒，第 95 百分位 {p95:.0f} 毫秒"
)
_HEARD = Said("exchanges heard", "听到的问答")
_HEARD_OF = Said(
    "{exchanges}; nothing kept of {nothing}, {waiting} still waiting",
    "{exchanges} 次；{nothing} 次没有可记的，{waiting} 次还在等",
)
_KEPT, _NOT_KEPT = Said("kept", "记下的"), Said("not kept", "没有记的")
_REPEATED = Said("corrected at least twice, {weeks} before this stage began and since: before {before}, since {after}",
                 "至少更正过两次的（本阶段开始前后各 {weeks}）：此前 {before} 件，之后 {after} 件")  # fmt: skip
_WEEKS = (Said("1 week", "1 周"), Said("{n} weeks", "{n} 周"))
_PERIODS = {"before": Said("before", "此前"), "after": Said("since", "之后")}
_COLUMNS = (Said("times", "次数"), Said("subject", "主题"), Said("text", "内容"))
_GONE = Said("(the text went with a memory)", "（内容已随记忆删除）")
_JOINT, _NONE = Said("; ", "；"), Said("none", "无")
