"""Words that carry no topic: dropped when a text is indexed, and again when a question is asked.

English: the function words of the Snowball list, the question words, and the halves of contractions that tokenising
leaves. Chinese: particles, pronouns, copulas, question words; after conversion to Simplified. Kept short on purpose:
a word that is frequent in a reader's own texts is already cheap through its document frequency, so only what is
*never* a topic stands here.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about above after again against ain all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each either else ever
    few for from further get gets getting go goes going got had hadn has hasn have haven having he her here hers
    herself him himself his how however i if in into is isn it its itself just let ll m ma many may me might mightn
    more most much must mustn my myself need needn no nor not now o of off oh ok on once only or other our ours
    ourselves out over own per please rather re s same shall shan she should shouldn so some such t than that the
    their theirs them themselves then there these they this those through to too under until up us ve very was wasn we
    were weren what when where which while who whom whose why will with won would wouldn y yeah yes yet you your yours
    yourself yourselves
    """.split()
)

CHINESE = frozenset(
    """
    的 了 着 过 地 得 之 是 在 有 和 与 及 或 而 且 但 也 都 就 还 又 才 却 则 即 于 以 为 被 把 将 对 从 向 由 到 给
    让 使 等 个 我 你 您 他 她 它 我们 你们 您们 他们 她们 它们 咱们 自己 这 那 哪 这个 那个 这些 那些 这里 那里 这样
    那样 其 其中 此 该 各 什么 怎么 怎样 怎么样 如何 为什么 为何 哪个 哪些 哪里 哪儿 哪 谁 多少 几 何 何时 何地
    什么时候 什么样 是否 有没有 是不是 能否 可否 吗 呢 吧 啊 呀 嘛 啦 哦 嗯 么 不 没 没有 很 太 更 最 非常 可以 可 能
    能够 会 要 想 应该 应 需要 请 请问 一下 一个 一 因为 所以 如果 虽然 但是 不过 而且 并且 以及 或者 还是 然后 那么
    就是 也是 都是 只是 还有 所 并 若 如 因 当 时 时候 里 上 中 主要 进行 通过 关于 根据 分别 以及 几个 哪一 哪位 哪种
    一种 一些 有些 曾 曾经 已 已经 正在 后 前 以 至 来 去 说 做 用
    """.split()
)

PARTICLES = frozenset(
    "的了着过之是在有和与及或而且但也都就还又才却则即于以为被把将从给吗呢吧啊呀嘛啦哦嗯么不没很我你您他她它这那哪谁其此该各"
)
"""Characters that end a word wherever they stand: no pair is made across them, and what consists of them is no
word."""
