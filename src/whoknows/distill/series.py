"""A series: statements of one form, each about another thing; what stands in the place of the subject tells them apart."""

import re
from dataclasses import dataclass
from enum import StrEnum

import rjieba

_THINGS = (
    "server|host|machine|node|cluster|rack|device|sensor|camera|printer|pump|boiler|greenhouse|bed|room|floor|building|gate|table"
    "|line|site|store|shop|branch|warehouse|station|platform|region|zone|shard|replica|partition|queue|topic|channel|service|module"
    "|team|group|squad|crew|class|customer|client|tenant|account|order|batch|ticket|issue|task|chapter|section|project|tank|field"
)
_TIMES = "day|week|month|quarter|sprint|iteration|phase|step|stage|round|lesson|session|milestone|night"
_CHINESE_THINGS = (
    "服务器|主机|机器|节点|集群|机房|机柜|机架|设备|打印机|传感器|摄像头|仓库|车间|产线|生产线|门店|分店|网点|站点|泵站|水泵|锅炉|大棚|温室|花房|苗床|教室|会议室|房间"
    "|楼层|号楼|楼|小组|组|班|队|团队|项目|模块|服务|队列|分区|分片|副本|客户|租户|账号|订单|批次|任务|工单|线路|通道|频道|地块|水箱"
)
_NUMERAL = "[零〇一二两三四五六七八九十百]"
_LABEL = r"(?P<label>\d+(?:\.\d+)*|[A-Z]|[A-Za-z]*[\w.-]*\d[\w.-]*|[A-Z][\w-]+)"
_BEFORE = (
    r"^(?:(?i:and|also|then|next|note that|decided|agreed)[,:]?\s+|(?:定了|决定|另外|还有|然后|接着|记住|注意)[，,：:、\s]*)*"
)
_FORMS = tuple(
    (kind, re.compile(_BEFORE + form + r"(?P<rest>.+)$", re.DOTALL | re.ASCII))
    for kind, form in (
        ("time", rf"(?i:(?:on|in|at|during|for)\s+)?(?i:the\s+)?(?P<noun>(?i:{_TIMES}))\s+{_LABEL}(?=\W)"),
        ("time", r"(?i:(?:on|every|each)\s+)?(?P<label>(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)days?))\b"),
        ("time", r"(?i:on\s+)?(?P<label>\d{4}-\d\d-\d\d)\b"),
        ("time", rf"(?:在|我们|每)*(?P<label>第(?:\d+|{_NUMERAL}+))(?P<noun>天|周|个月|步|阶段|轮|期|季度|节|课|晚)"),
        ("time", r"(?:在|我们|每)*(?P<label>(?:周|星期|礼拜)[一二三四五六日天])"),
        ("time", r"(?:在|我们)*(?P<label>\d{1,2}\s*月\s*\d{1,2}\s*[日号])"),
        (
            "thing",
            rf"(?i:(?:on|in|at|for|from)\s+)?(?i:(?:the|our|my)\s+)?(?P<noun>(?i:{_THINGS}))\s+(?:#|no\.\s*)?{_LABEL}(?=\W)",
        ),
        (
            "thing",
            rf"(?P<noun>{_CHINESE_THINGS})\s*(?P<label>[A-Za-z0-9][\w.-]*|[甲乙丙丁戊己庚辛]|{_NUMERAL}+号?)(?=[^\w]|[\u3400-\u9fff])",
        ),
        ("thing", rf"(?P<label>[A-Z0-9][A-Za-z0-9.-]*|[甲乙丙丁戊己庚辛]|{_NUMERAL}+)\s*号?\s*(?P<noun>{_CHINESE_THINGS})"),
        ("thing", r"(?P<noun>[A-Za-z]{2,}[_-]?)(?P<label>\d+)(?=\s)"),
        ("name", r"(?P<label>[A-Z][a-z]*[a-rt-z])\s+(?P<noun>[a-z]+s|was|had)\b"),
    )
)
_NO_NAMES = frozenset(
    {"it", "this", "that", "there", "he", "she", "everything", "everyone", "nobody", "nothing", "what", "who", "all"}
    | {"小组", "小区", "小时", "小程", "小票", "小数", "老师", "老板", "老人", "老家", "老年"}
)
_CALLED = re.compile(r"[小老阿][\u3400-\u9fff]")
"""How people are called by their family name, which the segmenter often takes apart."""
_READ = 40
"""Characters in which a name and its verb are looked for."""
_BEING = frozenset({"is", "was", "是"})
_WORD = re.compile(r"[A-Za-z]+|\d+(?:[.:]\d+)*|[\u3400-\u9fff]")


class Place(StrEnum):
    """What kind of thing stands in the place of the subject."""

    TIME = "time"
    """On which day, in which step: what is done then may be moved, so another day alone proves nothing."""
    THING = "thing"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Head:
    """``label`` tells one of the kind ``noun`` from another (of a name: the verb behind it); ``rest`` is what is said of it."""

    place: Place
    noun: str
    label: str
    rest: str


def another_subject(text: str, known: str, *, corrects: bool) -> bool:
    """Whether ``text`` says of something else what ``known`` says, and so neither corrects nor repeats it.

    ``corrects``: a word around ``text`` says that something is changed: then only what is plainly another thing is one.
    """
    here, there = head(text), head(known)
    if here is None or there is None or (here.place, here.noun) != (there.place, there.noun) or here.label == there.label:
        return False
    mine, others = _words(here.rest), _words(there.rest)
    match here.place:
        case Place.THING:
            return mine != others or not corrects
        case Place.TIME:
            return not corrects and _said(mine) != _said(others)
        case Place.NAME:
            # "Redis is our cache" may take the place of "Memcached is our cache"; "Bob likes tea" never that of Alice.
            return not corrects and (here.noun not in _BEING or bool(mine - others and others - mine))


def head(text: str) -> Head | None:
    """What stands in the place of the subject, where it is one of a series; None where it is not, or nobody can tell."""
    for kind, form in _FORMS:
        found = form.match(text.strip())
        if found is not None and not (kind == "name" and found["label"].lower() in _NO_NAMES):
            named = found.groupdict()
            noun = (named.get("noun") or "").lower()
            return Head(Place(kind), noun, named["label"].lower(), named["rest"])
    return _chinese_name(text.strip())


def _chinese_name(text: str) -> Head | None:
    tagged: list[tuple[str, str]] = rjieba.tag(text[:_READ])
    if _CALLED.match(text) and text[:2] not in _NO_NAMES:
        tagged = [(text[:2], "nr"), *rjieba.tag(text[2:_READ])]
    if len(tagged) < 3 or tagged[0][1] != "nr" or len(tagged[0][0]) < 2 or not tagged[1][1].startswith("v"):
        return None
    (name, _), (verb, _), *_ = tagged
    return Head(Place.NAME, verb, name, text[len(name) + len(verb) :])


def _words(rest: str) -> frozenset[str]:
    return frozenset(w.casefold() for w in _WORD.findall(rest))


def _said(words: frozenset[str]) -> frozenset[str]:
    """Without numbers: with those alone another day may be a correction of both."""
    return frozenset(w for w in words if not w[0].isdigit())
