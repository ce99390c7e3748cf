"""English that asks to undo a higher layer."""

from whoknows.context.marking import ABOVE, IGNORE, POSES, REPLACE, UNBOUND, any_of, compiled, patterns

_HIGH = any_of(
    "previous|prior|above|earlier|preceding|foregoing|former|existing|original|initial|global|system|higher|upper",
    r"(?:admin(?:istrator)?|developer|operator)(?:['’]s|s['’])?|platform(?:['’]s)?|safety",
)
_NOUN = any_of(
    r"system messages?",
    r"(?:system )?(?:instruction|rule|prompt|guideline|directive|polic(?:y|ie)|constraint|restriction|guardrail|command)s?",
    r"layers?",
)
_WORD = r"(?:(?!(?:not|never|no)\b)[\w'’-]{1,40} )"
_ADMINISTRATOR = r"(?:the |your |an |any )?(?:admin(?:istrator)?|system|developer|operator|platform)s?"
_HIGHER = any_of(
    # the administrator's rules, all previous instructions
    rf"{_WORD}{{0,4}}?{_HIGH}(?:,? (?:and |or )?{_HIGH})?(?:-level|-layer)? (?:[\w'’-]{1, 40} )?{_NOUN}",
    # the rules above, any instructions given by the administrator
    rf"{_WORD}{{0,3}}?{_NOUN} <placed>",
    # all rules, your instructions
    rf"(?:all|any|every)(?: of)?(?: the| your| my| these| those)? {_NOUN}|your (?:own )?{_NOUN}",
    # everything above, what the administrator said
    r"(?:everything|anything|all|whatever|what)(?: that)? <said>",
)
_PLACED = any_of(
    r"above|so far|higher up|before (?:this|that|these)",
    r"(?:that )?you (?:were|have been|had been) (?:given|told)",
    rf"(?:of|from|by|set by|given by|written by|defined by) {_ADMINISTRATOR}",
    r"(?:that )?(?:came|come|stands?|stood) (?:before|above)",
)
_SAID = any_of(
    r"(?:is |was |were )?(?:written |said |stated )?(?:above|before this)",
    r"you (?:were|have been) (?:told|given|instructed)",
    r"(?:the )?(?:admin(?:istrator)?|system prompt) (?:says?|said|wrote|writes|tells? you|told you)",
)
_IGNORE = any_of(
    r"ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?(?: about)?|bypass(?:ing)?|circumvent(?:ing)?|discard(?:ing)?",
    r"neglect(?:ing)?|skip(?:ping)?|suspend(?:ing)?|disabl(?:e|ing)|delet(?:e|ing)|eras(?:e|ing)|remov(?:e|ing)",
    r"dismiss(?:ing)?|break(?:ing)?|violat(?:e|ing)|disobey(?:ing)?|drop(?:ping)?|get around|work around",
    r"throw (?:away|out)|set aside|put aside|pay no (?:attention|heed) to|take no notice of",
)
_REPLACE = any_of(
    r"overrid(?:e|es|ing)|overrul(?:e|es|ing)|overwrit(?:e|es|ing)|replac(?:e|es|ing)|supersed(?:e|es|ing)",
    r"cancel(?:s|l?ing)?|nullif(?:y|ies)|invalidat(?:e|es|ing)|revok(?:e|es|ing)|undo(?:es|ing)?",
)
_FOLLOW = any_of(
    r"follow(?:ing)?|obey(?:ing)?|apply(?:ing)?|adher(?:e|ing) to|comply(?:ing)? with|listen(?:ing)? to|respect(?:ing)?",
    r"observ(?:e|ing)|stick(?:ing)? to|honou?r(?:ing)?|be bound by|abid(?:e|ing) by|heed(?:ing)?",
)
_NEVER = any_of(
    r"do not|don['’]t|never|no longer|stop|cease|need not|needn['’]t|must not|mustn['’]t|refuse to|without|instead of",
    r"(?:do not|don['’]t) (?:have|need) to|not (?:required|obliged|supposed) to|rather than",
)
_ENDED = any_of(
    r"(?:no longer|not|does not|doesn['’]t|do not|don['’]t) (?:apply|bind|count|matter|hold|valid|relevant|in force)",
    r"void|cancel+ed|suspended|revoked|overridden|replaced|obsolete",
)
_BONDS = r"(?:rules?|instructions?|restrictions?|guidelines?|polic(?:y|ies)|system prompt)"
_WORDS = {
    "higher": _HIGHER,
    "placed": _PLACED,
    "said": _SAID,
    "ignore": _IGNORE,
    "replace": _REPLACE,
    "follow": _FOLLOW,
    "never": _NEVER,
    "ended": _ENDED,
    "you": r"(?:you are|you['’]re|be|consider yourself)",
    "any": r"(?:any |all |the |these |those |your )",
    "new": r"(?:new|real|actual|true|updated)",
    "a": r"(?:\w{1,40} )",
    "bonds": _BONDS,
    "free": r"(?:no longer|not|free of|freed from|exempt from)(?: (?:bound|restricted|limited|governed|constrained|subject))?",
    "nothing": r"(?:there (?:are|were|is|was) no|you ha(?:ve|d) no|you never (?:saw|got|received))",
    "all": r"(?:everything|anything|all (?:others?|else)|(?:the |any )?(?:admin(?:istrator)?|system)\b)",
}

ENGLISH = patterns(
    _WORDS,
    (
        (r"\b<ignore> <higher>", IGNORE, True),
        (r"\b<never> (?:ever )?<follow> <higher>", IGNORE, False),
        (r"\b<replace> <higher>", REPLACE, True),
        (r"\b(?:instead|in place|in lieu) of <higher>", REPLACE, False),
        (r"\b<higher> (?:is |are |has |have )?(?:been |hereby |now |all )?<ended>", UNBOUND, False),
        (r"\b<you> <free>(?: (?:by|to|from))? <any>?<a>?(?:<bonds>|administrator(?:['’]s \w{1,40})?)", UNBOUND, False),
        (
            r"\b(?:act|behave|answer|respond|pretend)(?: as (?:if|though))?(?: that)? <nothing> <a>?<bonds>",
            UNBOUND,
            True,
        ),
        (r"\b(?:takes?|ha(?:s|ve)) (?:absolute |full )?(?:precedence|priority) over (?:<higher>|<all>)", ABOVE, True),
        (r"\b(?:outranks?|stands? above|(?:is|are) (?:more important than|above)) <higher>", ABOVE, True),
        (r"\b<new> (?:system|global|administrator['’]?s?) (?:prompt|message|instructions?|rules?) ?[:：]", POSES, False),
        (r"<\|?(?:system|im_start)\|?>|\[/?(?:system|SYS)\]|<<SYS>>|^#+ ?system ?$", POSES, False),
    ),
)  # fmt: skip
ENGLISH_NEGATED = compiled(
    r"\b(?:not|never|cannot|can['’]t|don['’]t|doesn['’]t|won['’]t|mustn['’]t|shouldn['’]t|avoid|without|nobody|nothing"
    r"|no one|nor|prevent\w*|refus\w{1,40} to|forbid\w* to|forbidden to)\b(?: (?!but\b)[\w'’-]{1,40}){0,3}[\s,]*$",
    {},
)
ENGLISH_REPORTED = compiled(
    rf"{any_of('<asks>', '<about>')} ?[\"“'‘]?$",
    {
        "asks": r"\b(?:ask|tell|tr(?:y|ie)|attempt|request|instruct|urge|order|demand|claim|say)(?:s|ed|ing)?(?: that)?"
        r"(?: (?:you|me|us|it|them|the \w+))?(?: (?:to|you should|you must|you may))?",
        "about": r"\b(?:how to|attempts? to|attacks? that|(?:phrase|sentence)s?(?: like| such as)?|means? to|way to)",
    },
)
