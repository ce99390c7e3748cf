"""Readers who see one to six short memories: what daily use of a young team looks like, in Chinese and English.

Written by hand for this project. Each world gives its notes, questions with the index of the note that answers, and
questions that none of its notes answers. With so few texts, document frequencies and the spread of cosines say almost
nothing: these worlds hold the calibration to what still does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TinyWorld:
    """The notes of one reader, the questions they answer (with the note's index), and some they do not."""

    notes: tuple[str, ...]
    answerable: tuple[tuple[str, int], ...]
    unanswerable: tuple[str, ...]


WORLDS: tuple[TinyWorld, ...] = (
    TinyWorld(
        ("保险箱密码是 7391",),
        (("保险箱的密码是多少？", 0), ("保险箱", 0), ("safe combination code", 0), ("密码", 0)),
        ("下周的部署由谁负责？", "how do I bake sourdough?", "发布口令是什么", "天气怎么样", "数据库端口是多少"),
    ),
    TinyWorld(
        ("预发环境数据库端口是 5433", "生产数据库每天凌晨三点备份", "前端代码评审需要两个人通过"),
        (
            ("预发 数据库 端口", 0),
            ("预发环境的数据库用哪个端口？", 0),
            ("备份", 1),
            ("什么时候备份生产库？", 1),
            ("评审要几个人同意", 2),
            ("which port does the staging database use?", 0),
            ("how many reviewers does frontend code need?", 2),
        ),
        ("发布口令是什么", "保险箱密码是多少？", "公司年会在哪里举办", "how do I bake sourdough?", "谁养了一只猫"),
    ),
    TinyWorld(
        (
            "Annual leave: 25 days a year, ask your manager two weeks ahead.",
            "Payslips are published on the 28th of each month in the HR portal.",
            "Sick leave longer than three days needs a doctor's note.",
            "New joiners get their laptop from IT on the first day.",
        ),
        (
            ("how many days of annual leave do I get?", 0),
            ("when are payslips available", 1),
            ("do I need a doctor's note?", 2),
            ("laptop", 3),
            ("年假有多少天？", 0),
            ("病假需要医生证明吗", 2),
            ("vacation days per year", 0),
        ),
        (
            "how do I bake sourdough?",
            "which port does Postgres listen on?",
            "what is the wifi password",
            "蓝鲸计划是什么",
            "best hiking trails near Geneva",
            "who won the football match yesterday?",
        ),
    ),
    TinyWorld(
        ("GitHub备份脚本上传失败，原因是SSH密钥过期；支付服务已回滚",),
        (
            ("备份", 0),
            ("密钥过期", 0),
            ("支付服务", 0),
            ("GitHub", 0),
            ("SSH", 0),
            ("为什么回滚支付服务", 0),
            ("why did the backup upload fail?", 0),
        ),
        ("午饭吃什么", "客户的联系电话", "年终奖金怎么发", "what colour is the logo?", "user onboarding checklist"),
    ),
    TinyWorld(
        (
            "I prefer dark mode in every editor.",
            "My daughter Mia is allergic to peanuts.",
            "We moved to Lisbon in 2021.",
            "The dog's name is Biscuit.",
            "I take my coffee black, no sugar.",
        ),
        (
            ("what is my dog called?", 3),
            ("is anyone in the family allergic to something?", 1),
            ("where do I live?", 2),
            ("how do I like my coffee", 4),
            ("dark mode", 0),
            ("狗叫什么名字？", 3),
            ("我喝咖啡加糖吗", 4),
            ("Mia", 1),
        ),
        (
            "what is the production database password?",
            "when does the sprint end?",
            "发布口令是什么",
            "how many tests are failing in CI?",
            "服务器部署在哪个机房",
            "which insurance covers the office?",
        ),
    ),
    TinyWorld(
        (
            "团队决定用 PostgreSQL 代替 MongoDB，因为需要事务。",
            "接口统一返回 JSON，错误码写在 docs/errors.md。",
            "每周三下午两点开周会，地点在三号会议室。",
            "张伟负责支付模块，李娜负责登录模块。",
            "测试环境的 Redis 没有设置密码。",
        ),
        (
            ("为什么不用 MongoDB？", 0),
            ("周会几点开", 2),
            ("谁负责登录模块？", 3),
            ("错误码文档在哪里", 1),
            ("Redis 密码", 4),
            ("who owns the payment module?", 3),
            ("when is the weekly meeting?", 2),
            ("why did we choose PostgreSQL", 0),
        ),
        (
            "怎么做红烧肉",
            "公司的股票代码是多少",
            "how tall is Mount Everest?",
            "去年冬天去哪里滑雪了",
            "打印机没有墨了怎么办",
            "what time does the museum close?",
        ),
    ),
    TinyWorld(
        ("Deploys to production happen on Tuesdays and Thursdays only.", "The staging API key rotates every 90 days."),
        (
            ("on which days do we deploy?", 0),
            ("how often is the staging key rotated?", 1),
            ("哪几天可以上线生产环境？", 0),
            ("rotation", 1),
        ),
        (
            "what does Anna want for her birthday?",
            "红酒配什么菜",
            "how do I reset my bank card PIN?",
            "办公室有几盆植物",
        ),
    ),
    TinyWorld(
        ("用户喜欢简洁的回答，不要寒暄。", "用户的时区是东八区。", "用户正在学习 Rust，之前写 Python。"),
        (
            ("用户在哪个时区？", 1),
            ("用户在学什么编程语言", 2),
            ("回答应该是什么风格？", 0),
            ("Rust", 2),
            ("what timezone is the user in?", 1),
        ),
        ("合同什么时候到期", "仓库里还有多少库存", "where is the fire extinguisher?", "机票订了吗", "谁是这幅画的作者"),
    ),
    TinyWorld(
        (
            "会议纪要 2025-03-22：决定把发布推迟到四月，原因是压测没有达标，QPS 只有目标的六成。",
            "会议纪要 2025-04-02：压测达标，确认四月十日发布，王芳值班。",
        ),
        (
            ("3月下旬的会议决定了什么？", 0),
            ("发布那天谁值班？", 1),
            ("为什么推迟发布？", 0),
            ("why was the release postponed?", 0),
        ),
        ("新员工的工位在哪", "猫粮买哪个牌子", "how do I cook rice?", "国庆节放几天假"),
    ),
    TinyWorld(
        (
            "To restart the ingest worker run `systemctl restart wk-ingest` on host orion.",
            "Customer Globex asked for a SOC 2 report; Priya sends it by Friday.",
            "The mobile app crashes on Android 14 when the camera permission is denied.",
            "We bill in euros and invoice on the first working day.",
            "Grafana lives at grafana.corp.internal, log in with SSO.",
            "Feature flag checkout_v2 is on for 10 % of the users.",
        ),
        (
            ("how do I restart the ingest worker?", 0),
            ("who sends the SOC 2 report?", 1),
            ("why does the app crash on Android", 2),
            ("in which currency do we bill?", 3),
            ("grafana url", 4),
            ("checkout_v2", 5),
            ("安卓应用为什么崩溃？", 2),
            ("我们用什么货币开发票", 3),
        ),
        (
            "how do I bake sourdough?",
            "what did Caroline paint last summer?",
            "保险箱密码是多少？",
            "the best way to learn the violin",
            "养老保险怎么转移",
            "when was the Eiffel Tower built?",
        ),
    ),
)
