"""Made-up memories and questions in English and Chinese, their words drawn by Zipf's law from a fixed vocabulary."""

from itertools import product

import numpy as np

_ENGLISH = """
    release database backup service customer invoice deployment review server token budget meeting schedule report
    design contract payment login staging cluster index query latency cache storage network monitor alert incident
    rollback branch merge test pipeline container image volume secret certificate domain gateway proxy timeout retry
    queue worker event schema migration column table snapshot replica region quota limit tenant account member agent
    session prompt model training dataset label metric score benchmark experiment paper hypothesis draft editor chapter
    translation travel ticket hotel flight luggage passport visa garden kitchen recipe allergy doctor appointment school
    teacher homework birthday present holiday mountain river bridge tunnel railway station platform harbour island
    forest weather storm
"""
_CHINESE = """
    数据库 备份 服务器 发布 部署 客户 合同 发票 预算 会议 报告 设计 支付 登录 预发 集群 索引 查询 延迟 缓存 存储 网络
    监控 告警 故障 回滚 分支 合并 测试 流水线 容器 镜像 密钥 证书 域名 网关 代理 超时 重试 队列 任务 事件 迁移 表格 快照
    副本 区域 配额 租户 账户 成员 智能体 会话 提示词 模型 训练 数据集 标签 指标 评分 实验 论文 假设 草稿 编辑 章节 翻译
    旅行 车票 酒店 航班 行李 护照 签证 花园 厨房 菜谱 过敏 医生 预约 学校 老师 作业 生日 礼物 假期 山脉 河流 桥梁 隧道
    铁路 车站 站台 港口 海岛 森林 天气 暴雨 张伟 李娜 王芳
"""
_SYLLABLES = ("ba", "den", "fir", "gol", "ka", "lem", "mi", "nor", "pel", "ras", "sto", "tun", "vel", "wic")
_CHARACTERS = "安北成达东方富光广海河华江金京开科蓝林龙明宁平青泉山石泰天通文西新星兴雅阳元云泽长中州"
_ENGLISH_FRAME = ("We agreed that the", "Please note that the", "Yesterday the", "According to the", "It turned out that the")
_CHINESE_FRAME = ("经过讨论，我们决定", "请注意，", "昨天下午，", "根据最新的消息，", "后来才发现，")
_ENGLISH_QUESTIONS = (
    "what did we decide about the {} and the {}?",
    "who takes care of the {} {}?",
    "when was the {} {} changed, and why {}?",
)
_CHINESE_QUESTIONS = ("关于{}和{}，我们是怎么决定的？", "{}的{}由谁负责？", "{}{}是什么时候改的，为什么{}？")
_EXPONENT, _SHIFT = 1.05, 10
"""Zipf and Mandelbrot: without function words the commonest word stands in every third text, not in each."""


class Writer:
    """Texts of about ``terms`` index terms each; the same seed writes the same texts."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._english = [*_ENGLISH.split(), *("".join(p) for p in product(_SYLLABLES, repeat=3))]
        self._chinese = [*_CHINESE.split(), *("".join(p) for p in product(_CHARACTERS, repeat=2))]
        self._weights = {n: _zipf(n) for n in (len(self._english), len(self._chinese))}

    def texts(self, count: int, least: int, most: int) -> list[str]:
        """Every second one is Chinese, where each word gives about two terms: itself and a pair across its border."""
        sizes = self._random.integers(least, most + 1, count)
        return [self._chinese_text(int(n)) if i % 2 else self._english_text(int(n)) for i, n in enumerate(sizes)]

    def questions(self, count: int) -> list[str]:
        """Two or three content words each, half of them English, half Chinese."""
        questions: list[str] = []
        for i in range(count):
            frames, words = (_CHINESE_QUESTIONS, self._chinese) if i % 2 else (_ENGLISH_QUESTIONS, self._english)
            questions.append(frames[i // 2 % 3].format(*self._draw(words, 3)))
        return questions

    def _english_text(self, terms: int) -> str:
        words = self._draw(self._english, terms)
        half = len(words) // 2
        return f"{self._random.choice(_ENGLISH_FRAME)} {' '.join(words[:half])}, and the {' '.join(words[half:])}."

    def _chinese_text(self, terms: int) -> str:
        words = self._draw(self._chinese, max(3, terms // 2))
        half = len(words) // 2
        return f"{self._random.choice(_CHINESE_FRAME)}{''.join(words[:half])}，{''.join(words[half:])}。"

    def _draw(self, words: list[str], count: int) -> list[str]:
        ranks = np.searchsorted(self._weights[len(words)], self._random.random(count))
        return [words[int(r)] for r in ranks]


def _zipf(size: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    weights = 1.0 / (np.arange(1, size + 1) + _SHIFT) ** _EXPONENT
    return np.cumsum(weights) / weights.sum()
