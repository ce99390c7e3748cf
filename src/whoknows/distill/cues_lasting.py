"""Cues of what lasts: settled, measured, reached, in the way, dangerous, how somebody wants things."""

from whoknows.distill.cues import cue

LASTING = (
    cue(
        "settled",
        "a choice was made, so it holds until somebody changes it",
        chinese="""定了|定下|定为|定成|定在|敲定|拍板|决定|说好|说定|商定|谈妥|谈好|约定|议定|确定|就这么|就按|就用|就选|选定|选了|选用|采用
            |最终|最后还是|点头|签了|同意了|批准|一致|改成|改用|换成|统一|不做|不上|不用了|不搞|不再|砍掉|放弃|弃用|废掉|取消|废止|保留|停用""",
        english="""decided|decision|settled|final|finali[sz]ed|agreed|we agree|signed off|signed|approved|going with|go with|went with
            |we're dropping|drop|dropped|dropping|we'll use|we will use|we use|sticking with|chose|chosen|picked|locked in|it's official
            |not doing|won't do|no longer|instead of|from .{1,20} to|switch(?:ed|ing)? to|moving to|we keep|stays?|the call|confirmed""",
    ),
    cue(
        "always",
        "said to hold each time: a rule or a habit, not an event",
        chinese="""以后|今后|往后|日后|此后|从今|一律|每次|每回|每逢|凡是|凡|都得|都要|都必须|必须|务必|不许|不准|不得|禁止|严禁|永远|从来
            |总是|一向|向来|任何时候|只要|统一|规矩|规定|规则|惯例|照此|老规矩|先.{1,20}(?:再|才)|才能|才可以|才算|不能直接|一定要|任何人""",
        english="""always|never|every ?time|each time|every single|from now on|going forward|whenever|any ?time|must|must not|mustn't|rule
            |policy|no exceptions?|without exception|only ever|by default|as a rule|in general|has to|have to|required|not allowed
            |forbidden|before any|no more than|at least|needs? to be|nobody (?:may|touches)|standing|house rule|convention""",
    ),
    cue(
        "prefers",
        "how the person likes things: addressed, answered, shown",
        chinese="""我喜欢|我更喜欢|我习惯|我偏好|我爱看|我讨厌|我不喜欢|我受不了|我看不惯|我看不懂|我不爱|最烦|叫我|喊我|称呼|别叫我|管我叫|回我
            |回复我|回答我|跟我说|给我看|给我写|给我讲|给我用|给我列|别给我|别用|不要用|少用|多用|说人话|别铺垫|废话|啰嗦|简短|表情|语气|口吻
            |用中文|用英文|大白话|列表|表格|字体|颜色|格式|我眼睛|我这个人|对我来说|我一般""",
        english="""i (?:really |much |always )?(?:prefer|like|love|hate|dislike|can't stand|never read|read|find)|call me|my name|address me
            |i'd rather|when you (?:answer|reply|write|explain|show|send|report)|answers?|repl(?:y|ies)|explain|tone|emojis?|bullet|bullets
            |short|concise|verbose|plain|skip the|no small talk|summary first|to me|show me|for me|talk to me|spare me|keep it|format""",
    ),
    cue(
        "everywhere",
        "said to hold for whatever the person does, not for one project",
        chinese="""所有项目|全部项目|每个项目|各个项目|哪个项目|任何项目|不管(?:是)?(?:哪|什么|做)|无论(?:哪|什么|做)|不论|不分项目|别的项目|其他项目
            |其它项目|通用|全局|到哪|走到哪|都一样|都这样|一概|我(?:所有|全部|手上|手里|手头)的?|凡是我|一辈子|长期|一直|这些年|多年""",
        english="""(?:all|any|every|each|either|whatever|whichever|across|other)(?: (?:my|of my|the|our|of the))?
            (?:projects?|repos?(?:itor(?:y|ies))?|jobs?|clients?|things?)|everywhere|anywhere|globally|in general|universal|across the board
            |no matter (?:which|what|where)|regardless|whatever (?:i|we)|anything of mine|everything i|not just (?:this|here)|long[- ]term|for years""",
    ),
    cue(
        "measured",
        "somebody looked, counted or tried: a finding",
        chinese="""实测|测了|测过|测下来|测出|测得|测试|试了|试过|试下来|实验|对比|比对|比较了|比了|压测|跑了|跑完|跑下来|跑出|统计|数了|算了|算下来
            |算出|查了|查到|查出|查明|排查|定位|复现|结果|结论|发现|原来是|原因|根因|因为|证实|证明|验证|准确率|误差|平均|中位|误判|召回|耗时|占
            |抽样|抽查|对照|样本|化验|检出|翻了|核对|核实|称了|量了""",
        english="""measured|tested|test(?:s|ing)? (?:show|shows|showed)|benchmark(?:s|ed)?|profil(?:e|ed|ing)|compared|comparison|counted
            |timed|sampled|results?|turns? out|turned out|found|we see|root cause|the cause|caused by|the reason|because|traced|reproduced
            |average|median|accuracy|error rate|rmse|p\\d\\d|faster|slower|versus|vs|out of|per cent|percent|checked|verified|logs? shows?|analysis""",
    ),
    cue(
        "reached",
        "a milestone was reached and stays reached",
        chinese="""完成|做完|写完|录完|跑完|推完|搬完|装完|交完|修完|改完|搞定|上线|交付|发布|发出去|验收|通过|过了|收工|收尾|结项|结案|封顶|竣工
            |签收|入库|到货|到位|合并了|合进|迁完|迁移完|全部|全都|全数|都已|已经|终于|拿到|出来了|杀青|开张|开业|收官|落地|齐了|无误|没有失败""",
        english="""done|finished|completed?|shipped|released|merged|landed|went live|is live|are live|live now|passed|delivered|deployed
            |rolled out|migrated|installed|signed off|accepted|all (?:of )?(?:the|them|\\d{1,9})|finally|wrapped up|in place|complete|handed over
            |uploaded|submitted|launched|printed|published|zero fail(?:ures|ed)|no failures|without (?:errors?|failures?|rollback)""",
    ),
    cue(
        "blocked",
        "work stands still for a named cause",
        chinese="""卡在|卡住|卡着|卡了|卡|堵|停着|停摆|停工|停在|停了|干不了|做不了|动不了|没法|无法|进不来|进不去|接不进|开不了|推不动|走不下去
            |等.{0,16}(?:批|签|到|给|回|修|来|放|恢复|之后|才能)|没批|没下来|没给|没有.{0,10}(?:权限|批文|许可|授权)|缺|拦|阻塞|搁置|悬着|暂停|压着|只能等|得等""",
        english="""blocked|blocker|blocking|blocks|stuck|stalled|on hold|held up|halted|at a standstill|waiting (?:on|for)|can't (?:start|proceed|go
            |continue|ship|move|build|test|deploy|finish|do|get)|cannot|no access|nothing (?:ships|moves|works|happens)|until|frozen|dead in the water
            |won't let us|refuses to|we're idle|paused|parked|without (?:it|that|them) we""",
    ),
    cue(
        "unblocked",
        "what was in the way is gone",
        chinese="""解除|解封|解决了|解冻|恢复|下来了|批下来|批了|通了|放行|打通|划掉|勾掉|销掉|能用了|能跑了|能进了|能读了|可以继续|可以开工|不卡了
            |到位了|到了|给了|开通|不用等|复工|接着干|修好|好了|拿到""",
        english="""unblocked|no longer blocked|not blocked|unstuck|resolved|cleared|came through|come through|lifted|granted|arrived|got (?:the|our|it|access)
            |is back|are back|fixed|we can (?:go on|continue|proceed|start|ship)|moving again|back on|sorted|renewed|restored|is in|cross (?:it|that) off""",
    ),
    cue(
        "danger",
        "something named may still go wrong",
        chinese="""风险|隐患|危险|担心|怕|万一|小心|当心|留神|注意|提防|警惕|提醒|到期|过期|失效|一旦|不然|否则|会(?:崩|挂|断|爆|丢|坏|塌|炸|满|超|卡死|停|烂|死|漏|撞)
            |可能会|容易|撑不住|扛不住|来不及|不够|漏|丢失|打满|翻倍|罚|违约|赔|停电|断供|涨价|离职|要走|台风|雨季|旺季|高峰|去年就""",
        english="""risk|risks|risky|danger(?:ous)?|worr(?:y|ies|ied|ying)|afraid|fear|concern(?:ed|s)?|careful|beware|watch out|heads[- ]up|caution|warning
            |expires?|expir(?:y|ing)|runs out|could (?:break|fail|lose|end|crash|cost|blow)|might (?:break|fail|lose|crash|not)|would (?:break|fail|lose|end)
            |otherwise|if .{1,40} (?:fails?|breaks?|goes down|leaves|slips)|fragile|single point|bottleneck|silently|overflow|outage|lose|deadline|liab(?:le|ility)""",
    ),
    cue(
        "research",
        "a direction that somebody follows for long",
        chinese="研究方向|研究|方向|课题|关注|跟踪|钻研|琢磨|论文|文献|一直在看|一直在读|感兴趣|兴趣|专门看|找资料|综述",
        english="""research|reading up|interested in|interests?|field|topic|papers?|literature|study(?:ing)?|follow(?:ing)? the|keep (?:up|reading)|deep dive
            |my area|thesis|survey""",
    ),
    cue(
        "duty",
        "who does what from now on",
        chinese="负责|归.{1,12}(?:管|维护|处理|看|做|接)|由.{1,12}(?:来|管|维护|负责|做|出)|交给|对接|接口人|牵头|主管|值班|窗口|找.{1,8}(?:签|批|要|对接|确认)",
        english="""in charge|responsible|owns|owner|handles|handled by|takes over|maintains?|maintained by|point of contact|contact|goes through|reports to
            |belongs to|on call|signs off|is ours|is theirs""",
    ),
    cue(
        "adopted",
        "the person makes a statement its own, or has checked it",
        chinese="确认了?|核实|证实|我试了|我看了|我查了|我测了|亲自|确实|果然|属实|采纳|听他的|按他说的|照他说的|有道理|我同意|我赞成|就照|可行|说得对|没错",
        english="""confirmed|i (?:checked|tested|tried|verified|looked|agree|measured|saw)|(?:he|she|they)(?:'s|'re)? (?:is |are |was |were )?right|agreed|indeed|sure enough
            |checks out|good point|let's do (?:it|that)|let's go with|we'll take|i'm with|true""",
    ),
    cue(
        "keep this",
        "the person asks to remember",
        chinese="记住|记一下|记下|记得|记着|记一笔|记上|记到|记录|存一下|备忘|备注|别忘|请知悉|强调|通知",
        english="remember|note|noted|keep in mind|make a note|for the record|write (?:this|that|it) down|don't forget|fyi|for your notes|bear in mind|put (?:this|it) down",
    ),
    cue(
        "because",
        "a reason is given, as it is for what was settled",
        chinese="因为|由于|理由|原因|所以|因此|省得|免得|以免|为了|毕竟|导致|造成|考虑到|不划算|太贵|太慢",
        english="because|since|so that|due to|the reason|therefore|hence|which means|thanks to|otherwise|too (?:slow|expensive|big|heavy)|so we|so the",
    ),
    cue(
        "several",
        "more than one thing is announced or listed",
        chinese="两件事|三件事|两点|三点|几件事|几点|两个事|两条|三条|一是|二是|其一|其二|第一[，,、是]|第二[，,、是]|还有|另外|另一|同时|一来|再一个|再就是|顺便|此外",
        english="two things|three things|couple of things|a few things|first(?:ly)?|second(?:ly)?|also|plus|another thing|one more|and also|on top of that|separately|besides|as well",
    ),
    cue(
        "far date",
        "a time that is not today: what is said of it lasts beyond the conversation",
        chinese="明年|后年|下个?月|下季度|季度|年底|年初|月底|月初|[一二三四五六七八九十\\d]{1,9}月|周[一二三四五六日末]|每[周月年天日晚]|下周|学期|暑假|寒假|春节|国庆|双十一|\\d{1,9}号",
        english="next (?:week|month|year|quarter|spring|summer|autumn|fall|winter)|end of (?:the )?(?:month|year|quarter)|every (?:day|night|week|month|year|monday|friday|sunday)"
        "|january|february|april|june|july|august|september|october|november|december|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|q[1-4]|20\\d\\d",
    ),
)
