"""Cues that name what a sentence is: rarer than those of cues_lasting.py, and surer where they stand."""

from whoknows.distill.cues import cue

NAMING = (
    cue(
        "names a danger",
        "the speaker calls it a danger, or is afraid of it",
        chinese="风险|隐患|危险|威胁|担心|担忧|发愁|就怕|最怕|怕的是|怕(?:它|他|到时|万一|一)|悬着|提防|小心|当心|留神|埋雷|是个雷|坑在|命门|软肋|后果|届时.{0,12}(?:得|只能|没法|无法)|(?:到期|过期).{0,20}(?:都得|就得|只能|没法|就没)",
        english="risks?|risky|danger(?:ous)?|hazard|threat|worr(?:y|ies|ied|ying|isome)|afraid|fears?|dread|scares? me|nervous|liability|single point of failure|beware|watch out|keeps me up|if .{1,60} we(?:'re| are) (?:stuck|dead|done|out|finished)",
    ),
    cue(
        "says it is settled",
        "the speaker says that the matter is decided",
        chinese="定了|定下来?|敲定|拍板|决定|决议|商定|议定|谈妥|说定|说好了?|就这么|最终|最后定|点头|批准|签了|不做了|不上了|不搞了|砍掉|弃用|废掉|否了|作废|定稿|结论是|就用|就选|选定|采用|不自己|只开|只做|只留",
        english="decided|decision|settled|final|finali[sz]ed|agreed|signed off|approved|confirmed|the call|we(?:'re| are|'ll| will) (?:going with|dropping|not doing|keeping|using|moving|switching|cutting|use|drop|keep|go with)|went with|that's that|end of discussion|locked in|scrapped|off the table",
    ),
    cue(
        "names a rule",
        "the speaker says that it holds each time",
        chinese="规矩|规则|规定|规程|制度|惯例|一律|凡是?|以后都|往后都|今后都|每次都|都得先|都要先|必须先?|务必|不得|不准|不许|严禁|任何人不|谁都不|无论谁|照此|才(?:能|可以|准|许)(?:发|上|合|进|动|改|开|用|出|走|下)",
        english="rule|rules|policy|always|never|must(?:n't)?|no exceptions?|every (?:time|single)|without exception|not allowed|house style|standing order|mandatory|nobody (?:may|gets|touches)|before any|only after|whenever",
    ),
    cue(
        "names a block",
        "the speaker says that work stands still",
        chinese="卡在|卡住|卡着|卡死|停摆|停工|停着|停在|挂起|干等|干瞪眼|动不了|推不动|做不下去|走不下去|阻塞|堵着|没法(?:继续|往下|开工|开始|推)|接不进|趴窝|搁浅|等着.{0,10}才能|没批下来|批不下来",
        english="blocked|blocker|blocking|stuck|stalled|on hold|halted|standstill|held up|nothing (?:moves|ships|happens|works)|can't (?:continue|proceed|start|go on|move|ship)|waiting (?:on|for) .{1,60} (?:before|until|to)|dead in the water|idle",
    ),
    cue(
        "names a finding",
        "the speaker says how it is known",
        chinese="实测|测下来|测出来?|测得|测完|做了.{0,8}(?:测试|实验|对比)|对比了?|比对了?|比较了|压测|跑完|复算|复核|复测|抽检|抽查|统计|准确率|误差|查明|查清|查到|根因|元凶|原因找到|原因是|来历清楚|证实|复现了|数据显示|火焰图|占了?.{0,6}(?:%|成|秒|分之)",
        english="measured|tested|benchmark(?:s|ed)?|profil(?:ed|ing)|compared|counted|sampled|root cause|turns out|turned out|found (?:out|that|the|it)|reproduced|verified|accuracy|rmse|out of \\d{1,9}|\\d{1,9} of (?:the )?\\d{1,9}|the culprit|confirmed by|field test|experiment",
    ),
    cue(
        "names a milestone",
        "the speaker says that something is done for good",
        chinese="完成了?|已完成|做完了?|录完|跑完|推完|交付完|全部(?:完成|通过|上线|交付|到位|录|升|迁|签|装)|上线了|验收|过了验收|通过了|发布了|交付了|搞定|收工|收官|竣工|封顶|投产|全录|全升|全过|一次过|正式(?:上线|运行|发布|启用|开)|里程碑|杀青|结项|无一|没有(?:失败|回滚|遗漏)|\\d{1,9} ?失败",
        english="finished|completed?|done(?: and dusted)?|shipped|released|delivered|went live|(?:is|are) live|rolled out|migrated|passed (?:the |all |acceptance)|accepted|handed over|milestone|wrapped|all \\d{1,9}|\\d{1,9} of \\d{1,9}|zero (?:failures|errors)|no (?:failures|rollbacks?)|signed off|in production",
    ),
    cue(
        "speaks of answers",
        "how the person wants to be addressed, answered or shown things",
        chinese="叫我|喊我|管我叫|称呼|别叫|回我|回复我|回答我?|答我|汇报|跟我(?:说|讲)|给我(?:看|写|讲|列|画|发|出|报)|别给我|写给我|你(?:说话|写|讲|回|答|报|画|列|用)|语气|口吻|用词|表情|废话|铺垫|您|图表|坐标|y ?轴|单位|时区|字体|字号",
        english="call me|address me|when you (?:answer|reply|write|explain|show|send|report|talk)|answer(?:s|ing)?(?: me)?|repl(?:y|ies)|your (?:answers?|replies|tone|messages?|reports?)|show me|show (?:all )?(?:times|dates|numbers|figures)|talk to me|write (?:to )?me|give me|bullet|emojis?|tone|chart|axis|time ?zone|units?",
    ),
)
