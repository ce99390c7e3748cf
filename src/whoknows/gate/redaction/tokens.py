"""Tokens that their issuers mark with a prefix, so that whoever finds one knows what it is.

The prefixes are those that the issuers document; a body of the right length behind one makes the secret. A number of a
format's own check (a CRC, a length that varies by version) is not asked for: a cut or mistyped key is not harmless.
"""

import re
from collections.abc import Iterator

from whoknows.gate.redaction.plausible import is_dummy
from whoknows.gate.redaction.spans import Hit

_W = r"[A-Za-z0-9_-]"
_FORMATS: dict[str, str] = {
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{20,80}",
    "akamai": r"akab-[a-z0-9]{16}-[a-z0-9]{16}",
    "adobe": r"p8e-[A-Za-z0-9]{32}(?![A-Za-z0-9])",
    "airtable": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
    "alibaba": r"LTAI[A-Za-z0-9]{12,30}",
    "anthropic": rf"sk-ant-{_W}{{20,200}}",
    "apify": r"apify_api_[A-Za-z0-9]{30,50}",
    "artifactory": r"AKC[A-Za-z0-9]{10,100}|AP[2-9A-F][A-Za-z0-9]{10,100}|cmVmdGtuO[A-Za-z0-9+/]{40,80}",
    "atlassian": rf"AT[AC]TT3x(?:{_W}|[=%]){{20,300}}|ATBB[A-Za-z0-9]{{24,60}}|BBDC-[A-Za-z0-9+/]{{30,60}}",
    "aws": r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}|ABSK[A-Za-z0-9+/]{80,200}={0,2}"
    r"|bedrock-api-key-[A-Za-z0-9+/=]{30,2000}|amzn\.mws\.[0-9a-z-]{36}|da2-[a-z0-9]{26}",
    "azure": r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
    "brevo": r"xkeysib-[a-f0-9]{60,64}-[A-Za-z0-9]{16}|xsmtpsib-[a-f0-9]{60,64}-[A-Za-z0-9]{16}",
    "clojars": r"CLOJARS_[A-Za-z0-9]{40,80}",
    "cloudflare": r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}|cf(?:at|ut|k)_[A-Za-z0-9]{30,60}",
    "databricks": r"dapi[a-f0-9]{32}(?:-\d)?",
    "defined_networking": r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{40,60}",
    "digitalocean": r"do[opr]_v1_[a-f0-9]{50,70}",
    "discord": r"[MNO][A-Za-z0-9]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    "docker": rf"dckr_(?:pat|oat)_{_W}{{20,50}}|SWM(?:TKN|KEY)-1-{_W}{{30,100}}",
    "doppler": r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    "dropbox": r"sl\.(?:u\.)?[A-Za-z0-9_-]{60,2000}",
    "duffel": rf"duffel_(?:test|live)_{_W}{{40,50}}",
    "dynatrace": r"dt0[a-z]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{40,64}",
    "easypost": r"EZ[AT]K[A-Za-z0-9]{50,60}",
    "facebook": r"EAA[A-Za-z0-9]{60,400}|\d{15,16}\|[A-Za-z0-9_-]{27,40}",
    "figma": rf"fig[dor]_{_W}{{30,60}}",
    "flutterwave": r"FLW(?:PUBK|SECK)(?:_TEST)?-?[A-Za-z0-9]{12,60}(?:-X)?",
    "flyio": r"fo1_[\w-]{40,60}|fm[12][ar]?_[A-Za-z0-9+/=]{60,2000}",
    "frameio": rf"fio-u-{_W}{{50,80}}",
    "github": r"gh[pousr]_[A-Za-z0-9_.-]{30,255}|github_pat_\w{36,100}",
    "gitlab": rf"gl(?:pat|dt|ft|rt|rtr|soat|ffct|feat|cnt)-[A-Za-z0-9_.-]{{20,80}}|glcbt-{_W}{{18,60}}|glptt-{_W}{{40}}(?!{_W})"
    rf"|glagent-{_W}{{50,80}}|glimt-{_W}{{25}}(?!{_W})|gloas-{_W}{{64}}(?!{_W})|glwt-{_W}{{20,80}}|GR1348941{_W}{{18,60}}"
    r"|_gitlab_session=[0-9a-z]{32}",
    "google": rf"AIza{_W}{{35}}(?!{_W})|GOCSPX-{_W}{{20,40}}|ya29\.[\w.-]{{20,300}}|1//0{_W}{{40,200}}"
    r"|[0-9]{9,14}-[0-9a-z]{32}\.apps\.googleusercontent\.com",
    "grafana": r"gl(?:c|sa)_[A-Za-z0-9+/_-]{32,400}={0,3}|eyJrIjoi[A-Za-z0-9]{60,400}={0,3}",
    "groq": r"gsk_[A-Za-z0-9]{40,60}",
    "harness": rf"(?:pat|sat)\.{_W}{{22}}\.[0-9a-f]{{24}}\.[A-Za-z0-9]{{20}}",
    "hashicorp": rf"hv[sbr]\.{_W}{{20,300}}|[A-Za-z0-9]{{14}}\.atlasv1\.{_W}{{60,70}}",
    "heroku": rf"HRKU-{_W}{{30,70}}",
    "huggingface": r"(?:hf|api_org)_[A-Za-z]{30,40}|hf_[A-Za-z0-9]{30,40}",
    "infracost": r"(?<![/.])ico-[A-Za-z0-9]{32}(?![A-Za-z0-9.])",
    "instagram": rf"IGQV[A-Za-z0-9_-]{{40,300}}|IG[A-Za-z]{{2,3}}{_W}{{100,300}}",
    "intra42": r"s-s4t2(?:ud|af)-[a-f0-9]{64}",
    "langsmith": r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
    "linear": r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}",
    "llama": r"LLM\|\d{10,20}\|[A-Za-z0-9_-]{20,40}|llx-[A-Za-z0-9_-]{40,60}",
    "mailchimp": r"[0-9a-f]{32}-us\d{1,2}",
    "mailgun": r"key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|pubkey-[0-9a-f]{32}",
    "mapbox": r"[ps]k\.[A-Za-z0-9]{60,100}\.[A-Za-z0-9_-]{20,24}",
    "maxmind": r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
    "microsoft_teams": r"https://[\w.-]{1,80}\.webhook\.office\.com/webhookb2/[\w@/-]{60,200}",
    "nats": r"SU?[ACNOPUX][A-Z2-7]{50,60}",
    "netlify": r"nf[pcou]_[A-Za-z0-9]{30,50}",
    "newrelic": r"NR(?:AK|JS|II|IQ|RA|BR|SP|AA|MA)-[A-Za-z0-9_-]{18,60}|NRAK-[A-Z0-9]{27}|[0-9a-z]{30,40}NRAL",
    "notion": r"ntn_[A-Za-z0-9]{35,60}|secret_[A-Za-z0-9]{43}",
    "npm": r"npm_[A-Za-z0-9]{30,50}",
    "nuget": r"oy2[a-z0-9]{43}",
    "nvidia": rf"nvapi-{_W}{{40,80}}",
    "octopus": r"(?<!/)API-[A-Z0-9]{26}(?![A-Za-z0-9])",
    "onepassword": r"ops_eyJ[A-Za-z0-9+/_-]{100,2000}={0,3}"
    r"|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    "openai": rf"sk-(?:proj|svcacct|admin|None)-{_W}{{30,250}}|sk-or-v1-[0-9a-f]{{64}}"
    r"|sk-[A-Za-z0-9]{20,80}(?:T3BlbkFJ[A-Za-z0-9]{20,80})?",
    "openshift": r"sha256~[\w-]{43}",
    "packagist": r"packagist_(?:ack|uut|out|org)_[a-f0-9]{60,80}",
    "paypal": r"access_token\$production\$[0-9a-z]{10,24}\$[0-9a-f]{32}",
    "perplexity": r"pplx-[A-Za-z0-9]{40,60}",
    "picatic": r"sk_live_[0-9a-z]{32}",
    "planetscale": r"pscale_(?:tkn|pw|oauth|otkn)_[\w=.-]{30,70}",
    "posthog": r"ph[cxasr]_[A-Za-z0-9_-]{30,60}",
    "postman": r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}|PMAT-[A-Z0-9]{26}",
    "prefect": r"pn[ub]_[A-Za-z0-9]{36}",
    "privateai": r"PKAK[A-Za-z0-9]{30,60}",
    "product_key": r"[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![A-Z0-9-])",
    "pulumi": r"pul-[a-f0-9]{40}",
    "pypi": r"pypi-AgE[A-Za-z0-9_-]{50,1000}",
    "readme": r"rdme_[a-z0-9]{70}",
    "replicate": r"r8_[A-Za-z0-9]{37}",
    "rubygems": r"rubygems_[a-f0-9]{48}",
    "salesforce": r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,120}|3MVG[0-9A-Za-z._]{60,100}",
    "scalingo": rf"tk-us-{_W}{{48}}",
    "sendgrid": r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}",
    "sentry": r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}",
    "settlemint": r"sm_(?:pat|sat|aat)_[A-Za-z0-9]{16,40}",
    "shippo": r"shippo_(?:live|test)_[a-f0-9]{40}",
    "shopify": r"shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}",
    "slack": r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,400}|xapp-\d-[A-Za-z0-9-]{20,200}|xoxe-\d-[A-Za-z0-9]{100,200}"
    r"|(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_]{30,80}",
    "sonarqube": r"sq[upa]_[a-z0-9=_-]{40}",
    "sourcegraph": r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64}",
    "square": rf"sq0[a-z]{{3}}-[0-9A-Za-z_\\-]{{22,60}}|EAAA{_W}{{56,70}}",
    "stripe": r"(?:sk|rk)_(?:test|live|prod)_[A-Za-z0-9]{10,200}|whsec_[A-Za-z0-9+/]{24,80}",
    "supabase": r"sbp_(?:v0_)?[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60}",
    "tavily": rf"tvly-{_W}{{20,60}}",
    "telegram": rf"\d{{5,16}}:A{_W}{{34}}(?!{_W})",
    "together": rf"tgp_v1_{_W}{{40,60}}",
    "twilio": r"(?:SK|AC)(?:[0-9a-f]{32}|[0-9A-F]{32})",
    "twitter": r"A{20,22}[A-Za-z0-9%]{60,120}",
    "typeform": r"tfp_[A-Za-z0-9_.=-]{40,80}",
    "vault": r"s\.(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{24}(?![A-Za-z0-9.])",
    "vercel": r"vc[pkiar]_[A-Za-z0-9]{40,70}",
    "whoknows": r"wk_[A-Za-z0-9_]{32,128}",
    "wundergraph": r"cosmo_[0-9a-f]{32}",
    "xai": r"xai-[A-Za-z0-9]{60,90}",
    "yandex": r"t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[A-Z0-9a-z_-]{86}[=]{0,2}|AQVN[A-Za-z0-9_-]{35,38}|YC[a-zA-Z0-9_-]{38}",
    "discord_webhook": r"https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{50,90}",
}
_TOKEN = re.compile(r"(?<![A-Za-z0-9+])(?:" + "|".join(f"(?P<{name}>{form})" for name, form in _FORMATS.items()) + r")")
_RUN = re.compile(r"[!-~]{16,}")
"""No token is shorter, and none holds white space: only within long runs is anything looked for, which prose has few of."""
KINDS = frozenset(f"secret:{name}" for name in _FORMATS)


def tokens(text: str) -> Iterator[Hit]:
    """The tokens in ``text`` (folded). A dummy of one letter (``ghp_xxxx``) is none."""
    for run in _RUN.finditer(text):
        for found in _TOKEN.finditer(text, run.start(), run.end()):
            if not is_dummy(found[0]):
                yield Hit(f"secret:{found.lastgroup}", found.start(), found.end())
