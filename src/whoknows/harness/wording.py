"""Words for the codes of harnesses, in both languages, once for all who show them: command line, console, answers, doctor."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """One text in both languages. ``{name}`` in it is filled in by who shows it."""

    en: str
    zh: str

    def of(self, language: str, **values: object) -> str:
        """``language``: a locale or a tag; Chinese where it begins so, else English."""
        text = self.zh if language.lower().startswith("zh") else self.en
        return text.format(**values) if values else text


def words(table: Mapping[str, Said], code: str, language: str, **values: object) -> str:
    """The words of ``code``; the code itself where a newer server has one that is not known here."""
    said = table.get(code)
    return code if said is None else said.of(language, **values)


STAGES: Mapping[str, Said] = {
    "off": Said("its hooks answer nothing", "钩子什么也不回答"),
    "read-only": Said("what your own memory knows is put beside prompts", "把你自己的记忆里相关的内容放到提问旁边"),
    "governed": Said(
        "besides, what an exchange says that is new goes through distillation and the gate",
        "此外，一问一答里出现的新东西，经提炼和闸门后记下来",
    ),
    "team": Said("besides, the bank of the team that the project goes to is recalled", "此外，也检索项目所属团队的记忆库"),
}
"""What hooks do from this stage on."""

OUTCOMES: Mapping[str, Said] = {
    "injected": Said("got something from memory", "从记忆里得到了内容"),
    "nothing": Said(
        "nothing to add: nothing reached the floor, or it stood there already", "没有可补充的：都没到门槛，或者前面已经给过"
    ),
    "captured": Said("offered, and kept to be distilled", "已收下，等待提炼"),
    "skipped": Said("left alone on purpose", "有意不处理"),
    "failed": Said("failed", "出错"),
}

EVENTS: Mapping[str, Said] = {
    "session_start": Said("a session began", "会话开始"),
    "prompt": Said("a prompt", "提问"),
    "subagent_start": Said("a sub-agent began", "子智能体开始"),
    "stop": Said("a turn ended", "一轮结束"),
}

REASONS: Mapping[str, Said] = {
    # Nothing is recalled, or nothing is learned.
    "synthetic": Said("sent by the program itself, not by a person", "是程序自己发的，不是人问的"),
    "notification": Said("a notice that a background task ended", "后台任务结束的通知"),
    "sub_agent": Said("said by a sub-agent", "出自子智能体"),
    "empty": Said("empty", "空的"),
    "own_text": Said("nothing in it but what memory had put there", "里面只有记忆先前放进去的内容"),
    "heartbeat": Said("a heartbeat", "心跳检查"),
    "summary": Said("a summary of an earlier conversation", "前一段对话的摘要"),
    "command": Said("a command of the program", "程序的命令"),
    "shell": Said("a shell command", "终端命令"),
    "short": Said("too short to ask for anything", "太短，没有在问什么"),
    "internal": Said("a helper of the program itself", "程序内部的帮手"),
    "no_answer": Said("it ended without an answer", "没有答出来就结束了"),
    "no_account": Said("no member is behind the key, so there is nobody to learn for", "密钥背后没有成员，不知道替谁记"),
    "distilling_off": Said("learning is switched off for this account or project", "这个账户或项目关掉了自动学习"),
    # Searched by words alone.
    "embedder_unavailable": Said(
        "the embedder did not answer in time: searched by words alone", "嵌入模型没有及时应答，只按词检索"
    ),
    "dimension_mismatch": Said(
        "the embedder has other vectors than the store: searched by words alone", "嵌入向量与库里的不符，只按词检索"
    ),
    "egress_forbidden": Said(
        "these words may not leave this machine for the embedder: searched by words alone",
        "这些话不许送到外面的嵌入模型，只按词检索",
    ),
    # Heard, and not kept.
    "greeting": Said("a greeting", "寒暄"),
    "ack": Said("an acknowledgement", "应答、附和"),
    "ephemeral": Said("true only for the moment", "只在当时成立"),
    "guess": Said("a guess", "猜测"),
    "nagging": Said("a complaint, and no rule", "抱怨，不是规矩"),
    "operational": Said("about the work at hand only", "只关系到手头这件事"),
    "unconfirmed_suggestion": Said("the assistant's suggestion, which nobody confirmed", "助手的建议，没有人确认"),
    "unendorsed_quote": Said("somebody else's words, which nobody made their own", "引用别人的话，没有人认同"),
    "question": Said("a question", "只是提问"),
    "hypothetical": Said("a mere supposition", "假设的情形"),
    "joke": Said("a joke", "玩笑"),
    "restated_memory": Said("memory said again", "把已有的记忆又说了一遍"),
    "secret": Said("it held a secret", "含有机密"),
    "rule_override": Said("an attempt to set rules aside", "想绕开规则"),
    "repeat": Said("known already", "已经记着"),
    "told_not_to_keep": Said("asked not to be kept", "说了不要记"),
    "nothing_lasting": Said("nothing of use later on", "过后没有用处"),
    "refused_by_gate": Said("the gate refused it", "闸门没有放行"),
    "quote_not_found": Said("its quote was not found in the source", "在来源里找不到引文"),
    "already_superseded": Said("what it corrects was overturned already", "它要更正的内容早已被推翻"),
    "audience_differs": Said("what it corrects is seen by others than it would be", "它要更正的内容面向的是另一些人"),
    "concurrent_change": Said("somebody changed the same at that moment", "同一时刻有人改了同一处"),
    "text_too_long": Said("too long", "太长"),
    "invalid": Said("it could not be written down as it was", "内容无法按原样记下"),
    "not_found": Said("what it is about is gone", "它说到的内容已经不在"),
    "forbidden": Said("no right to write there", "没有写入那里的权利"),
    "-": Said("for no stated reason", "没有说明原因"),
}
"""Why an event got nothing, got it otherwise than usual, or why nothing of it was kept. Each goes with a count."""

FATES: Mapping[str, Said] = {
    "stored": Said("new", "新记下"),
    "merged": Said("joined to what said the same", "并入相同的记忆"),
    "superseding": Said("overturned something older", "推翻了旧的记忆"),
    "held": Said("waiting for a review", "等待审核"),
    "repeat": Said("known already", "已经记着"),
}
"""What became of what was learned."""

MISSING: Mapping[str, Said] = {
    "no_workplace": Said(
        "no directory is registered for this project: `whoknows connect`", "这个项目还没有登记目录：运行 `whoknows connect`"
    ),
    "stage_off": Said(
        "its stage is off, and so hooks answer nothing: `whoknows stage PROJECT read-only`",
        "它的阶段是 off，钩子什么也不回答：运行 `whoknows stage PROJECT read-only`",
    ),
    "nothing_came": Said(
        "nothing came in the stage {stage} in this span: is the program connected? `whoknows doctor`",
        "这段时间里，{stage} 阶段没有收到任何事件：程序接上了吗？运行 `whoknows doctor`",
    ),
    "no_prompt": Said(
        "no prompt came: does the program run in a registered directory?", "没有收到提问：程序是在登记过的目录里运行的吗？"
    ),
    "below_floor": Said(
        "nothing reached the floor, so nothing was injected: what is known of this project? `whoknows list --project PROJECT`",
        "没有一条达到门槛，所以什么也没放进去：关于这个项目，记忆里有什么？运行 `whoknows list --project PROJECT`",
    ),
    "nothing_captured": Said("no exchange was captured", "没有收下任何一问一答"),
    "no_account": Said(
        "no exchange was captured: no member is behind the key that the programs use, as `whoknows stage` says",
        "没有收下任何一问一答：程序所用的密钥背后没有成员，`whoknows stage` 里有说明",
    ),
}
"""Why a report has nothing to show."""

NEEDS: Mapping[str, Said] = {
    "workplaces": Said("a registered directory: `whoknows connect`", "至少登记一个目录：运行 `whoknows connect`"),
    "report": Said("a look at the report, which is not empty", "先看看报告，而且报告里要有内容"),
    "account": Said("a member behind the key, to learn for", "密钥背后要有一位成员，才知道替谁记"),
    "team": Said(
        "the project goes to a team that you read: an administrator types `whoknows banks route PROJECT --to TEAM`",
        "项目要归到一个你能读的团队，由管理员输入 `whoknows banks route PROJECT --to TEAM`",
    ),
}
"""What the next stage asks for."""

SUGGESTIONS: Mapping[str, Said] = {
    "not_connected": Said("no directory is registered for it yet", "还没有为它登记目录"),
    "nothing_risked": Said(
        "read-only only recalls: nothing is learned, and it can be taken back at once", "read-only 只检索、不学习，随时可以退回"
    ),
    "no_prompt": Said(
        "no prompt came in this stage that asked for something, so there is nothing to judge by",
        "这个阶段还没有真正的提问，无从判断",
    ),
    "corrected_more": Said(
        "{after} things had to be corrected again and again since it began, {before} as long before",
        "从这个阶段开始，反复更正的有 {after} 件；此前同样长的时间里有 {before} 件",
    ),
    "corrected_again": Said(
        "one thing more than before had to be corrected again and again ({after}, before {before}): look at it first",
        "反复更正的比以前多了一件（{after} 件，以前 {before} 件）：先看看是什么",
    ),
    "failing": Said(
        "{failed} of {prompts} prompts failed or were searched by words alone: mend that first",
        "{prompts} 次提问里有 {failed} 次出错或只按词检索：先修好",
    ),
    "slow": Said(
        "one prompt in twenty waited {p95:.0f} ms or more for the server, and {slow:.0f} is felt",
        "每二十次提问就有一次等了服务器 {p95:.0f} 毫秒以上，超过 {slow:.0f} 毫秒人就有感觉",
    ),
    "too_few": Said(
        "prompts so far that asked for something: {prompts}; {enough} say more",
        "真正的提问目前只有 {prompts} 次，到 {enough} 次更说明问题",
    ),
    "below_floor": Said(
        "nothing reached the floor in {prompts} prompts: what is known of this project?",
        "{prompts} 次提问没有一条达到门槛：关于这个项目，记忆里有什么？",
    ),
    "near_floor": Said(
        "what was put beside prompts only just reached the floor ({median:.2f}, floor {floor:.2f}): read some of it first",
        "放到提问旁边的内容只是勉强达到门槛（{median:.2f}，门槛 {floor:.2f}）：先抽几条看看",
    ),
    "recall_helps": Said(
        "{injected} of {prompts} prompts got something, in the middle with {median:.2f} (floor {floor:.2f}), and no more is "
        "corrected than before",
        "{prompts} 次提问里有 {injected} 次得到了内容，得分中位数 {median:.2f}（门槛 {floor:.2f}），更正也没有变多",
    ),
    "nothing_captured": Said("no exchange was captured in this stage", "这个阶段没有收下任何一问一答"),
    "waiting": Said(
        "{waiting} of {captured} exchanges still wait to be distilled", "{captured} 次问答里还有 {waiting} 次等着提炼"
    ),
    "nothing_kept": Said(
        "{captured} exchanges were heard, and nothing of them was kept", "听了 {captured} 次问答，什么也没有记下"
    ),
    "learning_works": Said(
        "{captured} exchanges were heard, {kept} things kept, and no more is corrected than before",
        "听了 {captured} 次问答，记下 {kept} 件，更正没有变多",
    ),
    "all_the_way": Said(
        "it is connected as far as it goes, and no more is corrected than before", "已经接到最后一步，更正也没有变多"
    ),
}
"""Why a report suggests to go on, to stay or to go back."""

FAULTS: Mapping[str, Said] = {
    "bad_setting": Said(
        "WHOKNOWS_KEY or WHOKNOWS_AGENT holds what cannot be sent", "WHOKNOWS_KEY 或 WHOKNOWS_AGENT 里有不能发送的字符"
    ),
    "bad_url": Said("WHOKNOWS_URL is no address", "WHOKNOWS_URL 不是一个地址"),
    "broken": Said("the hook itself broke", "钩子自己出了错"),
    "busy": Said("too many calls at once", "同时的调用太多"),
    "closed": Said("the server closed the connection", "服务器断开了连接"),
    "cut": Said("the answer was cut off", "回答没有传完"),
    "ended": Said("the program ended the hook", "程序中止了钩子"),
    "failed": Said("the request failed", "请求失败"),
    "input_not_json": Said("what the program said is no event", "程序发来的不是事件"),
    "input_timeout": Said("the program did not end what it said", "程序没有把话说完"),
    "input_too_large": Said("what the program said is larger than the server takes", "程序发来的内容超过服务器的上限"),
    "no_key": Said("WHOKNOWS_KEY is not set", "没有设置 WHOKNOWS_KEY"),
    "no_server": Said(
        "this copy of the hook knows no server: connect the program again", "这份钩子不认识任何服务器：请重新连接"
    ),
    "not_json": Said("the answer is no JSON", "回答不是 JSON"),
    "other_server": Said(
        "WHOKNOWS_URL is no server that the program was connected to: nothing was sent",
        "WHOKNOWS_URL 不是连接过的服务器：什么也没有发送",
    ),
    "refused": Said("no server listens there", "那里没有服务器在听"),
    "resting": Said("left alone for a while after faults", "出错之后暂停一会儿"),
    "rubbish": Said("the answer is no HTTP", "回答不是 HTTP"),
    "timeout": Said("no answer in time", "没有及时回答"),
    "tls": Said("no safe connection", "无法建立安全连接"),
    "too_large": Said("the answer is too large", "回答太大"),
    "too_long": Said("the answer is too long", "回答太长"),
    "unknown_program": Said("it was started for a program that is not known", "启动它的程序不认识"),
    "unreachable": Said("the network does not reach it", "网络不通"),
    "unresolved": Said("its name is not known", "解析不了主机名"),
    "wrong_form": Said("the answer has another form", "回答的形式不对"),
}
"""Why a hook had no answer, as its log has it. ``http_…`` with a status speaks for itself."""
