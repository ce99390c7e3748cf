"""An answer without a model: what the memories say, with where it comes from, in the language of the question."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.context.fence import one_line
from whoknows.domain.evidence import Evidence
from whoknows.domain.memory import Memory

_LONGEST = 600
"""Characters of one memory: the whole of it is behind its id."""


@dataclass(frozen=True, slots=True)
class _Words:
    head: str
    nothing: str
    gone: str
    source: str
    verified: str
    memory: str


_ENGLISH = _Words(
    head="[Evidence mode: no language model took part] What the memories say about this ({n}):",
    nothing="[Evidence mode: no language model took part] Nothing was found about this.",
    gone="[Evidence mode: no language model took part] What was found then is not there any more, or you may not see it now.",
    source="source",
    verified="verified",
    memory="memory",
)
_CHINESE = _Words(
    head="【证据模式：没有语言模型参与】记忆里与此有关的内容（{n} 条）：",
    nothing="【证据模式：没有语言模型参与】没有找到与此有关的记忆。",
    gone="【证据模式：没有语言模型参与】当时找到的记忆现在已不存在，或你已无权查看。",
    source="来源",
    verified="已核实",
    memory="记忆",
)


def findings(memories: Sequence[Memory], *, found: int, chinese: bool) -> str:
    """``memories``, best first, are those that can be read now of the ``found`` that answered the question."""
    words = _CHINESE if chinese else _ENGLISH
    if not memories:
        return words.gone if found else words.nothing
    blocks = [_block(n, m, words) for n, m in enumerate(memories, 1)]
    return "\n\n".join((words.head.format(n=len(memories)), *blocks))


def excerpt(text: str, longest: int = _LONGEST) -> str:
    """``text`` up to ``longest`` characters, with a sign that it goes on."""
    return text if len(text) <= longest else f"{text[:longest].rstrip()}…"


def _block(n: int, memory: Memory, words: _Words) -> str:
    title = f"{one_line(memory.title)}: " if memory.title else ""
    lines = [f"{n}. {title}{excerpt(memory.content)}"]
    lines += [f"   {words.source}: {_evidence(e, words)}" for e in memory.evidence]
    lines.append(f"   {words.memory}: {memory.id}")
    return "\n".join(lines)


def _evidence(e: Evidence, words: _Words) -> str:
    place = f"{e.source_kind}:{one_line(e.locator)}{f'@{e.revision}' if e.revision else ''}"
    quote = f" “{excerpt(one_line(e.quote), 200)}”" if e.quote else ""
    return f"{place}{quote}{f' ({words.verified})' if e.verified else ''}"
