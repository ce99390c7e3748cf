"""What is never a source, whatever else a message says: text from memory, exemptions, credentials, what is not to be recorded."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from whoknows.context.bundle import PartName
from whoknows.context.marks import marks_in
from whoknows.distill.plain import plain
from whoknows.distill.sentences import sentences
from whoknows.domain.distilled import Skip

_NAMES = r"(?:memor(?:y|ies)|recall(?:ed)?|context|injected|retrieved|system|reminder|card)"
_BLOCKS = (
    # [memory] … [/memory], <long-term-memory> … </long-term-memory>: whatever is not closed goes to the end.
    rf"\[[^\[\]/\n]{{0,30}}\b{_NAMES}\b[^\[\]\n]{{0,60}}\].*?(?:\[/[^\]\n]{{1,40}}\]|\Z)",
    rf"<(?!/)[\w:-]{{0,30}}{_NAMES}[\w:-]{{0,30}}[^<>\n]{{0,60}}>.*?(?:</[^>\n]{{1,60}}>|\Z)",
    # 【长期记忆】 … 【结束】, 〖…〗, and a closing line such as ——以上由系统召回
    r"[【〖\[][^】〗\]\n]{0,20}(?:记忆|注入|召回|回忆|你记得|系统提醒|卡片|备忘录|历史要点)[^】〗\]\n]{0,20}[】〗\]].*?"
    r"(?:[【〖\[][^】〗\]\n]{0,16}(?:结束|完毕|完|止|end)[^】〗\]\n]{0,10}[】〗\]]|[—-]{2,}\s*以上[^\n]*|\Z)",
    # a fence that is labelled as memory
    r"(?<![`~])(`{3,}+|~{3,}+)[^\n]{0,40}(?:memor|recall|context|记忆|召回)[^\n]{0,80}\n.*?(?:\1|\Z)",
    # the same read out, without brackets: whatever follows the colon
    r"(?:relevant|retrieved|recalled|stored|saved|known|past|prior|long-term|injected) (?:memor(?:y|ies)|facts|context|notes)[^:：\n]{0,40}[:：].*",
    r"(?:what i (?:remember|know|have(?: stored| saved| on file)?)|(?:i|we) (?:remember|recall)(?: that)? you|recalled from|from (?:my |your |the )?(?:memory|store)\b"
    r"|(?:my|your) (?:memory|store|notes) (?:says?|tells?|shows?|lists?|holds?|contains?))[^:：\n]{0,50}[:：].*",
    r"(?:相关|已知|已存|召回的?|检索到的?|长期|历史|根据|按照?|你的?|我的?)(?:通用|项目|长期)?(?:记忆|记忆库|记忆条目|记忆里|记忆中)[^:：\n]{0,20}[:：].*",
    r"(?:我(?:这里)?记得您?你?的?(?:有|是|包括)?|你(?:之前|以前|曾经)(?:告诉过我|跟我说过|提过)(?:的(?:有|是))?)[^:：\n]{0,6}[:：].*",
    r"[{\[]\s*\"(?:memor(?:y|ies)|memory_id|memoryId|recalled)\"\s*:.*",
)
_BLOCK = re.compile("|".join(f"(?:{b})" if "\\1" not in b else b for b in _BLOCKS), re.DOTALL | re.IGNORECASE)

_NOT_TO_KEEP = re.compile(
    r"(?:别|不要|不用|不必|甭|无需|请勿|不准|不许|勿)\s{0,3}(?:再|又|把[^，。；\n]{0,10}|往[^，。；\n]{0,8}|帮我|给我|真|都){0,2}(?:记(?!错|混|反|仇|得)|存(?!放|钱|货)|保存|写进|写入|写到|收录|入库|留底|留档|沉淀)"
    r"|(?:别|不要|不用|不必)当成?我说的|记忆里(?:别|不要)|不(?:进|入|留)(?:记忆|档|记录)|就当我没说|当我没说|不作数|不算数"
    r"|(?<![a-z])(?:don['’]?t|do not|no need to|not to|never|please don['’]?t|without) (?:ever )?(?:sav|stor|record|keep|remember|writ|log|memori[sz]|not|fil|put|jot)(?:e|ing|ize|ise|ting)?"
    r" (?:(?:this|that|it|any of (?:this|that)|what|the (?:above|following|next|last))\b[^.!?\n]{0,30}|anything|down|anywhere)"
    r"|(?<![a-z])off the record|(?<![a-z])not for the record|(?<![a-z])(?:keep|leave) (?:this|that|it) (?:out of|off) (?:your |the )?(?:memory|record|notes|books)"
    r"|(?<![a-z])forget (?:that )?i (?:said|asked|mentioned)|(?<![a-z])(?:this|that) stays between",
    re.IGNORECASE,
)

_RULES = (
    r"(?:管理员|管理方|系统(?:里|中|提示)?|平台|后台|上级|主提示词|全局提示|安全(?:组)?)(?:的|里|那边|那套|那些|设的?|定的?|写的?|给的?|关于)*[^，。；！？,;!?\n]{0,14}"
    r"(?:规则|规定|要求|限制|提示词|提示|约束|规矩|红线|策略|复核|审批|脱敏|守则|权限|条款|约定|那套|那些|话)"
)
_FREE = (
    r"(?:不生效|不适用|不管用|不作数|无效|失效|作废|免去|免除|豁免|例外|跳过|忽略|无视|绕过|绕开|不用(?:管|理|走|遵守|守)|不必(?:管|理|走|遵守)|不受|不归|当没看见|当作?没有|装没看见|不存在"
    r"|别管|不(?:按|听|遵守|执行|理会|走)|让位|以我(?:的|说的)?为准|听我的|我说了算|高于|优先于|不约束|管不(?:着|到)|关掉|解除|取消|放开)"
)
_OVERRIDE = re.compile(
    rf"{_RULES}[^。；！？;!?\n]{{0,24}}{_FREE}|{_FREE}[^。；！？;!?\n]{{0,16}}{_RULES}"
    r"|管理员[^。；！？\n]{0,16}(?:不受|免(?:审|检|批)|不用[^。，\n]{0,6}(?:审批|批准|复核)|随便|例外|豁免|以我|听我|冲突)"
    r"|(?:你|对我|跟我)[^。；！？\n]{0,10}(?:不受|没有|不用遵守)[^。；！？\n]{0,8}(?:任何|一切)?(?:规则|限制|约束)"
    r"|(?<![a-z])(?:ignor|skip|bypass|disregard|overrid|overrul|waiv|circumvent|drop|suspend|switch off|turn off|disabl|forget|exempt|work around|get around|outrank|trump)\w*[^.!?;\n]{0,60}"
    r"(?:admin(?:istrator)?s?|system (?:prompt|rules?|polic)|global prompt|guardrails?|safety (?:rules?|polic|filters?)|compliance (?:rules?|polic))"
    r"|(?<![a-z])(?:admin(?:istrator)?['’]?s?|system|global|safety|guardrail|compliance)[\w' ’-]{0,30}(?:rules?|prompts?|polic(?:y|ies)|guardrails?|restrictions?|filters?|limits?|masking|approvals?)[^.!?;\n]{0,60}"
    r"(?:do(?:es)?n['’]?t|do(?:es)? not|no longer|never|needn['’]?t|not) (?:apply|bind|count|matter|concern|hold|cover)"
    r"|(?<![a-z])(?:admin(?:istrator)?s?|the system prompt)[^.!?;\n]{0,60}(?:skip it|exempt|exception for me|free(?:d)? (?:me|from)|not bound|i['’]?m above|ignore (?:it|them|that))"
    r"|(?<![a-z])(?:i['’]?m|i am|we are|we['’]?re|me) [^.!?;\n]{0,20}(?:exempt|excused|above|not bound|free)[^.!?;\n]{0,30}(?:rules?|polic(?:y|ies)|admin)",
    re.IGNORECASE,
)

_CREDENTIAL = re.compile(
    r"\[secret[^\]\n]*\]"
    r"|(?:密码|口令|密钥|令牌|验证码|私钥|凭证|通行码|通行证码|激活码)[^，。；,;\n]{0,14}?(?:是|为|成|：|:|=|叫|→|->)+\s*[^\s，。；,;）)]{2,}"
    r"|(?<![a-z])(?:pass(?:word|wd|phrase|code)?|pwd|pw|token|api[-_ ]?key|access[-_ ]?key|secret(?:[-_ ]?key)?|credentials?|pin(?: code)?|otp|login)(?![a-z])"
    r"[^\n.;,，。；]{0,40}?(?:(?<![a-z])(?:is|are)(?![a-z])|[:：=]|->|→)\s*[^\s，。；,;]{2,}"
    r"|<[^<>\s]{0,24}(?:password|passwd|secret|token|key|pin|otp|cred|密码|口令|密钥)[^<>\s]{0,24}>",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[，,；;。！？!?\n]|\s(?=and\s)|\.(?=\s|$)|(?=另外|还有|顺便|并且|而且)")


@dataclass(frozen=True, slots=True)
class Excluded:
    """What may not be taken from ``start`` to ``end``, and why."""

    start: int
    end: int
    why: Skip


def excluded(text: str) -> list[Excluded]:
    """The places of ``text`` that are no source, in order of their start.

    Exemptions from the rules above, and the wish that nothing be recorded, exclude the whole message: what they refer to stands
    before or after them as often as beside them, and a fact that is lost costs less than one that must not be there.
    """
    seen = plain(text)
    blocks = [Excluded(*seen.original(m.start(), m.end()), Skip.RESTATED_MEMORY) for m in _BLOCK.finditer(seen.text)]
    open_ = plain(_without(text, blocks))
    outside = open_.text
    if _OVERRIDE.search(outside) or marks_in(PartName.USER_PROMPT, outside):
        return [Excluded(0, len(text), Skip.RULE_OVERRIDE)]
    if _NOT_TO_KEEP.search(outside):
        return [Excluded(0, len(text), Skip.RESTATED_MEMORY if blocks else Skip.TOLD_NOT_TO_KEEP)]
    secrets = [Excluded(*open_.original(e.start, e.end), e.why) for e in _credentials(outside)]
    return sorted([*blocks, *secrets], key=lambda e: (e.start, -e.end))


def _without(text: str, places: list[Excluded]) -> str:
    """``text`` with blanks at ``places``, so that everything else stays where it is."""
    for place in places:
        text = text[: place.start] + " " * (place.end - place.start) + text[place.end :]
    return text


def _credentials(text: str) -> Iterator[Excluded]:
    """The clause in which each credential stands, with what leads to it in the same sentence."""
    spans = [(m.start(), m.end()) for m in _CREDENTIAL.finditer(text)]
    parts = sentences(text) if spans else []
    for start, end in spans:
        at = bisect_right(parts, start, key=lambda s: s.start) - 1
        sentence = parts[at] if at >= 0 else None
        if sentence is None or start >= sentence.end:
            yield Excluded(start, end, Skip.SECRET)
            continue
        after = _CLAUSE_END.search(text, end, sentence.end)
        yield Excluded(sentence.start, after.end() if after else sentence.end, Skip.SECRET)
