"""Cues of change: a sentence corrects, narrows, cancels or repeats what was said before."""

from whoknows.distill.cues import cue

CHANGING = (
    cue(
        "corrects",
        "what was said before no longer holds, or not quite",
        chinese="""更正|纠正|修正|勘误|改一下|改下|改口|改主意|改回|改成|改为|改到|改用|改由|换成|换为|换到|调整|变更|变了|变成|不对|错了|说错|记错|写错|搞错|弄错|算错|推翻|收回|作废|取消|撤回|撤销|废止|废掉
            |不再|不用再|不叫|别叫|重新|恢复|还是(?:用|按|走|改|回|选|要)|不是.{1,16}(?:是|而是)|而是|从.{1,10}(?:改|变|换|调|提|降)|提前到|推迟到|延到|延后|提到|降到|加到|减到|缩到|放宽|收紧|之前(?:说|定|那|的)|原来(?:说|定|那|的)|上次(?:说|定|那|的)
            |先前|那条|那个决定|那件事|那事|这条|关于.{1,16}(?:，|,)""",
        english="""correction|correct(?:ing)? (?:that|myself|the)|scratch|strike|cancel(?:led|s|ling)?|call(?:ed|ing)? off|revers(?:e|ed|ing)|revert(?:ed|ing)?|undo|undone|overturn(?:ed)?|overrul(?:e|ed)|change (?:of|that|the)|changed (?:my|our|the|to|from)|changing
            |instead|rather than|no longer|not any ?more|any ?more|actually|turns out|i was wrong|we were wrong|wrong|mistake|mistaken|misremembered|update(?:d)?(?: on|:| to)?|revis(?:e|ed|ion)|amend(?:ed|ment)?|back to|backed? out|drop(?:ped)? (?:that|the)|withdraw(?:n)?
            |bump(?:ed)?|push(?:ed)? (?:back|to)|postponed|moved (?:to|from|up)|extended|shortened|raised|lowered|replac(?:e|ed|es|ing)|swap(?:ped)?|void|obsolete|outdated|forget (?:the|about|what)|earlier|previous(?:ly)?|used to""",
    ),
    cue(
        "excepts",
        "an exception to what was said before",
        chinese="例外|除外|除了|除非|唯独|只有.{1,16}(?:不|除|例外)|另算|另说|破例|特例|豁免|可以不|不包括|不含|不算|单独|其他(?:照|不变|还是|一样)|其余(?:照|不变|仍|还是)|补充一|加一条|再加|放开",
        english="except(?:ion|ions|ing)?|exempt(?:ed)?|unless|apart from|other than|but not|excluding|excludes?|does not apply|doesn't apply|special case|only for|one addition|addendum|with one change|carve[- ]out",
    ),
    cue(
        "rest stays",
        "only a part is changed, so the old statement is still needed",
        chinese="其他不变|其它不变|其余不变|其他照旧|其余照旧|别的不变|别的照旧|其余仍|其他仍|其余还是|其他还是|其他一样|别的还是|剩下的不变|照旧|仍旧|依旧|不动|仍然|仍按|还按",
        english="stays?(?: as)?|unchanged|remains?|as before|still|same as before|otherwise the same|everything else|the rest|as is|no other changes?|rest of it",
    ),
    cue(
        "says again",
        "the speaker says that it was said before",
        chinese="""我说过|说过了|说过的|之前说|前面说|刚说|刚才说|上面说|早就说|再说一遍|再说一次|重申|再强调|强调一遍|重复一遍|再提醒|还是那句|老话|一样的|就是那个|就那个|就是说|也就是|别忘了|记得吧|记得哦|如前|如上|同上|前述|再啰嗦|我的意思|换句话说|说白了|总之|嘛""",
        english="""like i said|as i said|as (?:mentioned|said|stated|before|noted)|i (?:said|told you|already|mentioned)|again|once more|to repeat|repeat(?:ing)?|remind(?:er|ing)?|just (?:so|to be) (?:we're |you know|clear)?|to be clear|for clarity|in other words|i mean|same as|don't forget
            |as ever|still (?:the|holds|true)|reiterat(?:e|ing)|restat(?:e|ing)|to recap|recap|remember(?:,| that| the| we| i)|basically|in short""",
    ),
)
