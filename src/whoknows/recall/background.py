"""Aim a question, and find its background: both from a fixed cohort of texts that answer nothing.

Vectors of one encoder share a large common part (e5: unrelated texts have cosines of 0.7 to 0.85), and another that
says only which script a text is written in: beside 400 Chinese texts, e5 finds the English answer of a Chinese
question in 6 % of the cases. `Cohort.aim` takes half of the first and most of the second out of the *question*, which
is enough, since (q - u) . d changes the order of every d without touching what is stored (Mu & Viswanath 2018,
"All-but-the-Top").

What is left of the level still differs by question and by script. `Background` is that level, measured on the cohort:
nearness is counted from there, also for a reader who sees a single memory (cohort normalisation as in speaker
verification, Auckenthaler et al. 2000). Figures: docs/decisions/0004-fusion-and-floor.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from statistics import fmean, pstdev

from whoknows.recall.hits import Background

COHORT_WIDE: tuple[str, ...] = (
    "明天下午三点和设计师开会，讨论新版首页。",
    "厨房的水龙头坏了，已经约了师傅周六来修。",
    "她小时候在海边长大，喜欢游泳和捡贝壳。",
    "服务器迁移完成，旧机器月底下线。",
    "这条铁路全长三百多公里，连接两座沿海城市，于上世纪初建成通车。",
    "他的第一部小说出版后获得了很多好评，后来被改编成电影。",
    "客户希望下个季度降价百分之五，我们还没有答复。",
    "接口超时时间默认是三十秒，可以在配置文件里修改。",
    "昨晚睡得不好，今天有点头疼，下午请了半天假。",
    "这种植物生长在高山草甸，夏季开白色小花，可以入药。",
    "孩子的家长会改到下周四晚上七点。",
    "公司规定报销必须在当月提交发票。",
    "球队在最后一分钟扳平比分，加时赛获胜。",
    "我把文档放在共享盘里了，你有空看一下。",
    "该王朝后期财政困难，边境战争不断，最终被邻国吞并。",
    "外卖到了，记得下楼取一下。",
    "新同事来自上海，之前做了五年数据分析。",
    "默认分支改名为主干，旧链接会自动跳转。",
    "这家餐厅的招牌菜是烤鸭，周末要提前订位。",
    "电池续航大约十个小时，充满电需要两个小时。",
)
COHORT_NARROW: tuple[str, ...] = (
    "Let's meet at the station at nine and take the early train.",
    "The printer on the second floor is out of toner again.",
    "He studied biology at university and later became a teacher.",
    "The migration to the new cluster is finished; the old nodes go away next month.",
    "The river flows through three countries before it reaches the sea.",
    "Her first album sold over a million copies and won several awards.",
    "The client wants a discount next quarter, we have not answered yet.",
    "The default timeout is thirty seconds and can be changed in the config file.",
    "I slept badly and have a headache, so I will work from home today.",
    "The species lives in mountain forests and feeds mostly on insects.",
    "Parents' evening has been moved to Thursday at seven.",
    "Expenses must be submitted with receipts before the end of the month.",
    "They scored in the last minute and won the game in overtime.",
    "I put the slides in the shared folder, have a look when you can.",
    "The empire declined after a series of wars and a financial crisis.",
    "Wow, that sounds amazing! I'm so happy for you.",
    "Our new colleague comes from Berlin and worked in data analysis before.",
    "We renamed the main branch, old links redirect automatically.",
    "That restaurant is famous for its noodles, book ahead on weekends.",
    "The battery lasts about ten hours and charges in two.",
)

COMMON_SHARE = 0.5
"""How much of the cohort's mean is taken out of a question. Flat between 0.4 and 0.7."""

SCRIPT_SHARE = 0.85
"""How much of the direction from alphabetic to Han texts is taken out of it. All of it would lose what a name's
script says."""

_LEAST = 1e-3  # an encoder (of a test) may be orthogonal to the cohort, or see no difference of script


@dataclass(frozen=True, slots=True)
class Aimed:
    """A question's vector as the dense arm searches with it (unit length), and its background."""

    vector: tuple[float, ...]
    background: Background


@dataclass(frozen=True, slots=True)
class Cohort:
    """The cohort as the encoder in use sees it. All vectors have the encoder's dimension."""

    wide: tuple[float, ...]
    narrow: tuple[float, ...]
    script: tuple[float, ...]
    spread: float

    @classmethod
    def of(cls, wide: Sequence[Sequence[float]], narrow: Sequence[Sequence[float]]) -> Cohort:
        """From the unit passage vectors of `COHORT_WIDE` and `COHORT_NARROW`, in that order. Made once, at start.

        `spread` is the mean over the cohort of the standard deviation of a text's cosines with the others of its
        script.
        """
        spreads = [
            pstdev(_dot(one, other) for k, other in enumerate(group) if k != i)
            for group in (wide, narrow)
            for i, one in enumerate(group)
        ]
        mean_wide, mean_narrow = _mean(wide), _mean(narrow)
        script = tuple(w - n for w, n in zip(mean_wide, mean_narrow, strict=True))
        length = max(_length(script), _LEAST)
        return cls(mean_wide, mean_narrow, tuple(x / length for x in script), max(fmean(spreads), _LEAST))

    def aim(self, question: Sequence[float]) -> Aimed:
        """The question to search with, from its unit vector. Function of the question alone."""
        common = COMMON_SHARE / 2
        bare = [q - common * (w + n) for q, w, n in zip(question, self.wide, self.narrow, strict=True)]
        lean = SCRIPT_SHARE * _dot(bare, self.script)
        bare = [x - lean * s for x, s in zip(bare, self.script, strict=True)]
        length = max(_length(bare), _LEAST)
        vector = tuple(x / length for x in bare)
        return Aimed(vector, Background(_dot(self.narrow, vector), _dot(self.wide, vector), self.spread))


def _mean(vectors: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(fmean(map(float, column)) for column in zip(*vectors, strict=True))


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return float(sum(map(mul, a, b)))


def _length(vector: Sequence[float]) -> float:
    return math.sqrt(_dot(vector, vector))
