"""Cues of what passes: said for the moment, not meant, not known, or not the person's own."""

from whoknows.distill.cues import cue

PASSING = (
    cue(
        "greeting",
        "opens or closes a conversation and says nothing",
        chinese="早上好|早安|早啊|^早|下午好|晚上好|晚安|你好|您好|嗨|哈喽|哈啰|在吗|在不在|在么|回来了|我来了|又来|上线了|打扰|吃了没|吃饭了吗|好久不见|拜拜|再见|明天见|下班",
        english="hi|hello+|hey+|hiya|howdy|good (?:morning|afternoon|evening|night)|morning|evening|yo|bye|see you|see ya|cheers|welcome back|i'm back|what's up|how are you|anyone (?:there|alive|home)",
    ),
    cue(
        "ack",
        "takes note without saying what of",
        chinese="好的|好嘞|好滴|好吧|好呀|收到|明白|了解|知道了|嗯嗯|嗯|哦|噢|行|成|可以|没问题|辛苦|谢谢|多谢|感谢|谢啦|甚好|有劳|不错|太好了|太棒|赞|牛|厉害|OK|没事",
        english="ok|okay|k|got it|thanks?|thank you|thx|ty|great|cool|nice|perfect|sure|alright|right|noted|understood|will do|sounds good|fine|yep|yes|yeah|no problem|np|awesome|excellent|roger|cheers",
    ),
    cue(
        "question",
        "asks, and so states nothing",
        chinese="[?？]|吗|呢$|么$|来着|怎么样|怎么|什么|多少|几个|几点|哪里|哪儿|哪个|哪些|谁|是不是|能不能|可不可以|要不要|有没有|会不会|行不行|好不好|为什么|为啥|咋|多久|如何|是否",
        english="\\?|^(?:and |so |but )?(?:what|why|how|when|where|who|which|is|are|was|were|do|does|did|can|could|would|will|should|shall|have|has)"
        "|any idea|i wonder|wondering|do you know|remind me|what about|how about",
    ),
    cue(
        "offer",
        "the speaker offers to do something and waits for an answer",
        chinese="要我|需要我|要不要我|我可以帮|我来|我先|让我|我这就|我会|稍后|接下来|马上就|等我",
        english="shall i|should i|do you want me|want me to|would you like|let me|i can|i'll|i will|i'd be happy|next i|on it|give me a",
    ),
    cue(
        "guess",
        "nobody knows it yet, however definite the rest of the sentence is",
        chinese="""可能|也许|或许|大概|大约是|估计|估摸|感觉|觉得|应该是|应该会|似乎|好像|像是|说不定|搞不好|八成|多半|猜|瞎猜|不确定|不一定|没把握|没验证|未验证
            |没核|未核|尚未|没看过?|没查|没试|没测|不清楚|不知道|难说|待定|还没定|没想好|再说|再想想|再看看|在考虑|考虑要不要|纠结|犹豫|暂时|未必|据我猜|印象里|听着像|八九不离十|拿不准""",
        english="""maybe|perhaps|probably|possibly|i think|i guess|guess(?:ing)?|i suspect|suspect|hunch|i believe|i suppose|might|may be|could be|seems?|looks like|sounds like|likely
            |not sure|unsure|no idea|don't know|dunno|haven't (?:checked|tested|looked|decided|seen|tried|verified|measured)|unverified|unconfirmed|untested|undecided|tbd|not decided
            |thinking (?:about|of)|considering|leaning|toying|i feel|my gut|feels like|wouldn't be surprised|for all i know|smells like|if i had to|not certain""",
    ),
    cue(
        "what if",
        "a case that is not so",
        chinese="如果|要是|假如|假设|假使|倘若|若是|倘|设想|哪天|有朝一日|换作|换成你|万一|会怎样|会不会|咱们是不是|能不能|会变成|是不是就|理论上|做梦|幻想",
        english="what if|suppose|supposing|imagine|if we ever|if one day|some ?day|hypothetical(?:ly)?|would (?:it|that|we|this|they)|in theory|let's say|say we|if (?:only|i were|we were|we had|they)|were (?:we|i) to|one day|wouldn't it",
    ),
    cue(
        "suggestion",
        "an idea that nobody has taken up",
        chinese="建议|不妨|或许可以|可以考虑|可以先|也可以|可以把|可以用|可以在|可以顺|要不|要不然|不如|推荐|最好|顺手|何不|试试|会更|更好|能再提|预计|考虑一下",
        english="you could|we could|could also|might (?:want|help|be worth|save)|i(?:'d| would) (?:suggest|recommend|propose)|suggest(?:ion)?|recommend|how about|why not|consider|one option|an option|it(?:'d| would| may| might) (?:be|help|save|make)|worth (?:trying|a try|adding)|perhaps we|maybe we|alternatively|ideally",
    ),
    cue(
        "do now",
        "an order for this moment, carried out and done with",
        chinese="""^把|^帮我|^给我(?:看|打开|发|列|查|找|翻|念|读|重)|再发|发我|打开|关掉|放大|缩小|滚动|往下|往上|翻到|展开|收起|列一下|看一下|查一下|算一下|跑一下|改一下字|试一下|导出
            |下载|复制|粘贴|截图|刷新|重启|重跑|再跑|重新跑|切到|切回|跳到|排一下|念一下|翻译一下|生成一|画一|继续$|暂停一下|停一下|先放着|等一下|等等""",
        english="""^(?:please |pls |now |ok |then |just |can you |could you )*(?:open|close|scroll|zoom|show|run|rerun|re-run|send|print|list|find|check|copy|paste|click|expand|collapse|export|download
            |refresh|restart|resend|translate|summari[sz]e|delete|undo|redo|go back|continue|stop|pause|wait|hold on|draw|plot|fetch|pull up|give me|try|rename|move|read|play|switch)""",
    ),
    cue(
        "this moment",
        "true now, and over within the day",
        chinese="""现在|正在|此刻|这会儿|这会|眼下|目前正|刚才|刚刚|刚|马上|一会儿?|待会儿?|等会儿?|等下|今天|今晚|今早|上午|中午|下午|傍晚|半夜|回头说|先去|去开会|开会去|去吃饭|吃饭去|去接|接个|在路上|地铁
            |信号不好|掉线|没电|快没电|还剩|还有.{0,4}分钟|\\d{1,9} ?%|进度|跑着|跑到|转圈|加载|排队|在忙|走开|离开|出门|睡了|困了|饿|温度|风扇|点回来|点左右""",
        english="""now|right now|at the moment|currently|just now|this (?:morning|afternoon|evening|minute)|today|tonight|in a (?:minute|bit|sec|second|moment|while)|brb|afk|back in|be back|be right back|\\d{1,9} ?(?:min|mins|minutes|seconds|secs) (?:left|to go)
            |left$|running|still running|loading|in progress|compiling|building|downloading|uploading|flashing|at \\d{1,9} ?%|\\d{1,9} ?%|lunch|coffee|meeting|on the (?:train|bus|phone|road)|driving|battery|wifi|signal|heading|stepping out|later|gotta""",
    ),
    cue(
        "nagging",
        "urges or complains about what is known",
        chinese="""催|烦死|烦|到底|还要多久|多久啊|什么时候才|怎么还|还没好|还不|服了|无语|真的会谢|受够|崩溃|气死|要疯|折腾|又来|又双|改来改去|第.次|说了多少|几遍|八百遍|快点|快一点|赶紧|抓紧|磨蹭|慢死|没动静
            |唉|哎|心累|累死|头大|头疼|离谱|坑|垃圾|什么鬼|气人""",
        english="""ugh+|argh+|sigh|seriously|come on|hurry|asap|how long|how many times|third time|again and again|still (?:nothing|waiting|no)|where is|why is it taking|annoy(?:ed|ing)|sick of|tired of|fed up|ridiculous
            |unbelievable|hate this|pain|painful|nightmare|forever|nagging|chas(?:e|ed|ing)|hellooo*|are you there|anyone|omg|ffs|damn|crap|god""",
    ),
    cue(
        "joke",
        "said for fun",
        chinese="哈哈|呵呵|嘿嘿|嘻嘻|笑死|开玩笑|逗你|段子|狗头|原地|退学|当我没说|做梦都|🤣|😂|😄|😆|😜|🐶|手动|戏精|躺平|下辈子|祖传|跳楼|磕头|烧香|拜佛|请你吃|算了算了|啦啦|嘤",
        english="lol+|lmao|rofl|ha(?:ha)+|hehe|just kidding|kidding|jk|joking|joke|sorry not sorry|walks into a bar|punchline|pun|😂|🤣|😄|😆|😜|;-?\\)|\\bxd\\b|obviously not|said no one|as if|yeah right|sure,? and|at this rate|quit and become|retire",
    ),
    cue(
        "somebody says",
        "the words of a third party",
        chinese="""有人说|有人讲|他说|她说|他们说|大家说|人家说|听说|据说|听.{1,6}说|传言|网上说|网上|群里|论坛|评论|朋友圈|公众号|隔壁|同事说|老板说|领导说|客户说|厂家说|销售|供应商说|专家说|家长说|邻居
            |.{1,8}(?:主张|声称|号称|宣称|吹|认为|觉得应该|一直说|老说|跟我说|提议|提出|转述|转发|非说|嚷嚷)""",
        english="""(?:he|she|they|somebody|someone|people|everyone|some guy|a friend|my boss|the vendor|a colleague|the client|reddit|twitter|the forum|the blog) (?:says?|said|claims?|claimed|thinks?|thought|swears?|insists?|wants|told|keeps? saying|argues?|suggest(?:s|ed)|reckons?)
            |apparently|allegedly|reportedly|supposedly|rumou?r|i heard|heard that|according to|word is|claims?|swears|blog post|salesperson|sales|vendor|some (?:guy|people|dude|blogger)|quote|quoting""",
    ),
    cue(
        "not adopted",
        "and the person does not make them its own",
        chinese="""不信|不太信|不敢苟同|不认同|不同意|不赞成|先听听|听听就好|听听而已|随便听|没说要|不是我说|不代表我|我可没|仅供参考|我没答应|没答应|没表态|转给你|转述|我没意见也没|存疑|别当真|不当真|没验证|没亲眼|没见过|扯淡|吹牛|我持保留""",
        english="""don't buy|not buying|not convinced|don't believe|doubt|don't agree|disagree|not my (?:view|opinion|words)|haven't (?:seen|checked|verified|confirmed|tried)|can't confirm|take it with|grain of salt|just passing|passing it on|fwiw|for what it's worth|not saying
            |no opinion|wouldn't trust|skeptical|sceptical|nonsense|whatever""",
    ),
    cue(
        "do not keep",
        "the person asks not to record",
        chinese="""(?:别|不要|不用|不必|甭|无需|请勿|不准|不许|先别)(?:再)?(?:给我)?(?:记|存|保存|写进|写到|收录|入库|留底|留档|往心里|当真|当回事)|别往(?:记忆|本子)|不用管我说|当我没说|忘了(?:它|这|刚|吧)|忘掉|不要留|别留|私下|就你我|随口|随便(?:说|问|聊|提)|说说而已|不作数|不算数""",
        english="""(?:don't|do not|no need to|please don't|never|not to) (?:save|store|record|keep|remember|note|write|log|memori[sz]e|file)(?: (?:this|that|it|any))?|off the record|between us|forget (?:i|that|this|it|what)|not for the record|leave (?:this|that|it) out|scrap that|just thinking (?:out )?loud|just between|strike that|no record""",
    ),
    cue(
        "recalled",
        "text that comes back from memory, whoever sends it",
        chinese="长期记忆|记忆(?:注入|片段|摘要|列表|召回|检索|库|条目|上下文|内容)|系统注入|注入(?:开始|结束|内容)|已知记忆|相关记忆|根据记忆|据记忆|我的记忆|我记得您?你?|(?:召回|检索到|回忆)的?|你(?:自己)?带出来|你自己(?:贴|说|写|弹|塞)|历史记录显示|记忆里",
        english=r"\[/?(?:memor(?:y|ies)|context|recall(?:ed)?)[^\]]*\]|</?(?:memor(?:y|ies)|context|recall(?:ed)?|system)[^>]*>|relevant memor(?:y|ies)|(?:retrieved|recalled|stored|saved|injected|long[- ]term) memor(?:y|ies)"
        "|memory (?:block|context|dump|snippet|entries|items)|from (?:my |your )?memory|what i (?:know|remember)|i remember (?:that )?you|as (?:i )?(?:recall|remember(?:ed)?)|system reminder|memories for",
    ),
    cue(
        "secret",
        "a credential, which is never kept, stands in it",
        chinese="密码|口令|密钥|令牌|验证码|私钥|账号密码|凭证|暗号",
        english=r"passwords?|passwd|pwd|tokens?|api[- _]?keys?|secrets?|credentials?|passphrase|pin|otp|login|\[secret[^\]]*\]",
    ),
    cue(
        "echo",
        "confirms having taken note of what was just said",
        chinese="^(?:好的|收到|明白|了解|已了解|已记|记下|记住了|记录|好嘞|知道了|没问题|嗯)|已(?:更新|记录|了解|知悉)|(?:以后|往后|之后)(?:我|都|会)?|按您?你?说的|照您?你?说的|我会(?:记|照|按)",
        english="^(?:ok|okay|got it|noted|understood|sure|right|will do|recorded|logged|as you wish)|i(?:'ll| will) (?:remember|keep|make sure|use|do|put|start|stick|follow)|from now on i|updated|noted",
    ),
    cue(
        "administrator",
        "speaks of those who set rules above the person",
        chinese="管理员|系统提示|系统里写|系统规则|安全(?:要求|规则|规定|限制)|主提示词|提示词|权限限制|后台规则|上级规则|平台规则|合规",
        english="admin(?:istrator)?s?|system prompt|global prompt|safety (?:rules?|polic(?:y|ies)|filters?)|guardrails?|restrictions?|operator|compliance rules?|policy prompt|override",
    ),
)
