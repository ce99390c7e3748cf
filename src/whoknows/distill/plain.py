"""A text as its words are looked for: one width, one script of Chinese, and nothing that cannot be seen between two letters."""

import unicodedata
from dataclasses import dataclass

_TRADITIONAL = (
    "記憶別規則對適無員統詞約線復複審脫條話權過繞開視當沒聽說為準執會讓優於關錄進寫給幫庫檔澱這裡裏請許歷檢結畢備項長歸碼鑰驗證憑"
    "個兩級儲從來現時後們應該認樣遵實豁註銷須係體啟閉禁傳達標題問處務機構組護範圍單點數據訊號賬帳貼沖衝據與間內"
)
_SIMPLIFIED = (
    "记忆别规则对适无员统词约线复复审脱条话权过绕开视当没听说为准执会让优于关录进写给帮库档淀这里里请许历检结毕备项长归码钥验证凭"
    "个两级储从来现时后们应该认样遵实豁注销须系体启闭禁传达标题问处务机构组护范围单点数据讯号账账贴冲冲据与间内"
)
_ONE_SCRIPT = str.maketrans(_TRADITIONAL, _SIMPLIFIED)


@dataclass(frozen=True, slots=True)
class Plain:
    """``origins``: for each character of ``text`` where it stands in the original, and then the length of that."""

    text: str
    origins: tuple[int, ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        return self.origins[start], self.origins[end - 1] + 1 if end > start else self.origins[start]


def plain(text: str) -> Plain:
    """``text``, letter for letter. Time is linear in its length."""
    if text.isascii():
        return Plain(text, tuple(range(len(text) + 1)))
    kept: list[str] = []
    origins: list[int] = []
    for n, c in enumerate(text):
        if c > "\x7f" and unicodedata.category(c) == "Cf":
            continue
        form = unicodedata.normalize("NFKC", c) if "\uff01" <= c <= "\uff5e" and c.isalnum() else c
        kept.append(form)
        origins.append(n)
    return Plain("".join(kept).translate(_ONE_SCRIPT), (*origins, len(text)))
