"""Redaction: what goes, what stays, and that doing it twice changes nothing."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
from whoknows.gate.redact import KINDS, found, redact
from whoknows.gate.redaction.spans import Hit, merged


def taken(text: str, *, with_hosts: bool = False) -> list[tuple[str, str]]:
    return [(h.kind, text[h.start : h.end]) for h in found(text, with_hosts=with_hosts)]


def test_what_follows_a_credential_word_goes_and_the_sentence_stays() -> None:
    secret = "Abc" + "".join(map(str, range(1, 6)))
    assert redact(f"密码：{secret}，别告诉别人").text == "密码：[secret:credential]，别告诉别人"


@pytest.mark.parametrize(
    "text", ["保险箱密码是 7391", "密码提示是 第一只猫的名字", "the password is correct-horse-battery-staple"]
)
def test_a_short_number_and_a_phrase_are_content(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "shape",
    [
        "password: {}",
        "password = '{}'",
        'DB_PASSWORD="{}"',
        "the password is {} since Monday",
        "密码是 {}",
        "口令已经改成 {} 了",
        "密碼：{}",
        "--password {}",
        "PASSWD={}; export PASSWD",
        '{{"api_key": "{}"}}',
        'mySecretToken := "{}"',
        "access_token => `{}`",
        'if ("{}" == password) {{',
        "sshpass -p '{}' ssh host",
        "curl -u admin:{} http://localhost/",
        "https://localhost/x?token={}&page=2",
        "<password>{}</password>",
        '<add key="Password" value="{}" />',
        "CREATE USER u IDENTIFIED BY '{}'",
        "MYSQLPASS={}",
        "mysql://u:{}@db/main",
        "Authorization: Bearer {}",
        "token:\n  access_key: |\n    {}\n",
        'setProperty("TOKEN", "{}")',
        "pw: {}",
        "curl --user kevin:'{}' -X POST",
        "Authorization: NTLM {}",
        'ConvertTo-SecureString -String -Force "{}"',
    ],
)
def test_a_credential_goes_in_whatever_form_it_is_said(shape: str) -> None:
    secret = made_up.letters(14)
    clean = redact(shape.format(secret))
    assert secret not in clean.text
    assert clean.holds_secret
    assert redact(clean.text).text == clean.text
    assert re.sub(r"\[secret:\w+\]", secret, clean.text) == shape.format(secret)  # nothing else is touched


@pytest.mark.parametrize(
    "text",
    [
        "password = os.environ['DB_PASSWORD_2']",
        "password: ${DB_PASSWORD_2}",
        "token = get_token(user1)",
        "token = config.auth2.token",
        'token_type: "Bearer2Token"',
        "public_key = A1b2C3d4E5f6G7h8",
        "the token bucket is leaky-bucket",
        "token: 5,000-token",
        "password: 2026-01-31",
        "secret = <your-secret-1>",
        "password=********1a",
        "password: example1234",
        "token: \n",
        "kind: Secret\ndata:\n  name: secret/mysecret",
        "author: zhang2000000000000000",
        "keyboard=Logitech2000MX1234567",
        'monkey = "a1b2c3d4e5f6a7b8c9"',
        "key: short1",
        "secrets are in ./secrets/prod1.env",
        "password, Abc-1234-x is next",
        "token,",
        "password: https://wiki.local/reset1",
        "密码：见 1Password",
        "snowflake.password=\nsnowflake.url=a1b2c3",
        "the api-key `--embed-api-key1` is set",
        "password = 12345678",
        "curl -u user:password http://localhost/",
        "Basic understanding of authentication",
        "postgres://u:${PGPASS}@db/x",
        "secret token here",
        "if (name == password1) {}",
        'if ("" == password) {}',
        "x == password",
        "= password",
    ],
)
def test_code_references_words_and_numbers_stay(text: str) -> None:
    assert redact(text).text == text


def test_a_number_with_signs_can_be_a_password_and_a_date_cannot() -> None:
    assert redact("password: 1234!5678#").holds_secret
    assert not redact("password: 12:34:56.78").holds_secret


def test_tokens_of_issuers_go_and_say_whose_they_are() -> None:
    assert taken(f"see {made_up.github_token()}.")[0][0] == "secret:github"
    assert taken(f"id {made_up.aws_key_id()}!")[0][0] == "secret:aws"
    assert taken(f"wk_{made_up.letters(43)}")[0][0] == "secret:whoknows"
    jwt = ".".join(("eyJ" + made_up.letters(20), "eyJ" + made_up.letters(30), made_up.letters(43)))
    assert ("secret:jwt", jwt) in taken(f"it was {jwt} then")
    assert taken(f"see sk-{'x' * 40} and sk-{string.ascii_lowercase}") == []  # dummies of a documentation


def test_letters_alone_are_a_secret_where_they_are_no_words() -> None:
    pairs = "".join(made_up.letters(1, string.ascii_uppercase) + made_up.letters(1, string.ascii_lowercase) for _ in range(17))
    assert redact(f"see hf_{pairs}").text == "see [secret:huggingface]"
    assert redact(f"password: {pairs[:10]}").text == "password: [secret:credential]"
    words = "hf_requiredTypesForTheDisplayOfSomething"
    assert redact(f"see {words}, password: getPasswordFromUser").text == f"see {words}, password: getPasswordFromUser"


def test_a_private_key_goes_as_a_whole_and_without_its_end_too() -> None:
    key = made_up.private_key()
    assert redact(f"before\n{key}\nafter").text == "before\n[secret:private_key]\nafter"
    cut = key[:200]
    assert redact(f"before\n{cut}").text == "before\n[secret:private_key]"
    assert redact(key.replace("\n", "\\n")).text == "[secret:private_key]"


def test_a_private_key_in_base64_goes_and_a_certificate_stays() -> None:
    import base64

    coded = base64.b64encode(made_up.private_key().encode()).decode()
    assert taken(f"key {coded}") == [("secret:private_key", coded)]
    certificate = base64.b64encode(made_up.private_key().replace("RSA PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert taken(f"the {certificate}") == []


def test_the_values_of_a_kubernetes_secret_and_of_a_key_in_json_go() -> None:
    value = made_up.letters(24)
    assert redact(f"kind: Secret\ndata:\n  a.b: {value}\n").text == "kind: Secret\ndata:\n  a.b: [secret:kubernetes]\n"
    assert redact(f"kind: ConfigMap\ndata:\n  a.b: {value}\n").text == f"kind: ConfigMap\ndata:\n  a.b: {value}\n"
    assert (
        redact(f'{{"kty": "EC", "d": "{value}", "x": "{value}"}}').text
        == f'{{"kty": "EC", "d": "[secret:jwk]", "x": "{value}"}}'
    )


def test_check_digits_decide_what_is_an_identity_number_or_a_card() -> None:
    right, wrong = made_up.id_card(), made_up.id_card(check=False)
    assert redact(f"身份证{right}，请核对").text == "身份证[id_card]，请核对"
    assert redact(f"编号{wrong}，请核对").text == f"编号{wrong}，请核对"
    card, no_card = made_up.bank_card(), made_up.bank_card(check=False)
    assert redact(f"卡号 {card}。").text == "卡号 [bank_card]。"
    assert redact(f"单号 {no_card}。").text == f"单号 {no_card}。"


def test_an_identity_number_of_a_place_without_a_county_is_one_and_breaks_nothing() -> None:
    right, wrong = made_up.id_card_of("820306"), made_up.id_card_of("820306", check=False)
    assert redact(f"编号{right}，请核对").text == "编号[id_card]，请核对"
    assert redact(f"编号{wrong}，请核对").text == f"编号{wrong}，请核对"


def test_numbers_in_groups_are_numbers() -> None:
    card, person = made_up.bank_card(), made_up.id_card()
    grouped = " ".join(card[n : n + 4] for n in range(0, 16, 4))
    assert redact(f"room 12 {grouped} ok").text == "room 12 [bank_card] ok"
    assert redact(f"{person[:6]}-{person[6:14]}-{person[14:]}").text == "[id_card]"
    assert redact(f"{person[:6]}\n{person[6:14]}\n{person[14:]}").text == "[id_card]"
    assert taken("1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6") == []
    assert taken("0000000000000000") == []


def test_an_identity_number_of_the_old_kind_needs_its_name_and_a_day() -> None:
    assert redact("身份证号：110105491231002").text == "身份证号：[id_card]"
    assert taken("身份证号：110105491331002") == []
    assert taken("单号：110105491231002") == []


@pytest.mark.parametrize("shape", ["{0}{1}{2}", "{0} {1} {2}", "+86 {0} {1} {2}", "0086{0}{1}{2}", "{0}-{1}-{2}"])
def test_mobile_numbers_go_however_they_are_written(shape: str) -> None:
    number = made_up.mobile()
    said = shape.format(number[:3], number[3:7], number[7:])
    assert redact(f"电话{said}，谢谢").text == "电话[phone]，谢谢"


def test_numbers_from_abroad_go_where_they_can_exist() -> None:
    assert redact("call +1 415 555 2671 now").text == "call [phone] now"
    assert taken("+1 000 000 0000") == []
    assert taken("+999 1234567") == []
    assert taken("v1.13812345678 and 213812345678 and 1381234567") == []


def test_addresses_of_mail_go_and_those_of_repositories_stay() -> None:
    mail = made_up.email()
    assert redact(f"邮箱{mail}，谢谢").text == "邮箱[email]，谢谢"
    assert taken("git@github.com:a/b.git @mcp.tool a@b") == []


def test_names_of_hosts_go_only_where_the_policy_says_so() -> None:
    text = "10.0.0.5, fe80::1, db1.prod.internal and https://wiki.example.com/x, version 1.2.3, 300.1.1.1, 12:30"
    assert redact(text).text == text
    clean = "[host], [host], [host] and https://[host]/x, version 1.2.3, 300.1.1.1, 12:30"
    assert redact(text, with_hosts=True).text == clean
    assert redact(clean, with_hosts=True).text == clean


def test_width_style_and_invisible_characters_hide_nothing() -> None:
    person = made_up.id_card()
    wide = "".join(chr(ord(c) + 0xFEE0) for c in person)
    bold = "".join(c if c == "X" else chr(0x1D7CE + int(c)) for c in person)
    arabic = "".join(c if c == "X" else chr(0x660 + int(c)) for c in person)
    holes = "\u200b".join(person)
    soft = "\u00ad".join(person)
    for hidden in (wide, bold, arabic, holes, soft):
        assert redact(f"号码：{hidden}。").text == "号码：[id_card]。"
    token = made_up.github_token()
    assert redact(f"\x1b[93m{token}\x1b[0m").text == "\x1b[93m[secret:github]\x1b[0m"
    assert taken("１，２；３ ① ½ ℡ Ⅻ \ufe0f") == []


def test_a_token_that_a_line_break_cuts_goes_as_a_whole() -> None:
    token = made_up.github_token()
    for broken in ("\n", "\r\n", "\\\n  "):
        assert redact(f"a {token[:20]}{broken}{token[20:]} b").text == "a [secret:github] b"


def test_what_overlaps_is_one_and_a_secret_before_all_else() -> None:
    secret = made_up.letters(12)
    assert redact(f"ftp://u:{secret}@files.example.com/").text == "ftp://u:[secret:password_in_url]@files.example.com/"
    token = made_up.github_token()
    assert redact(f"token: {token}").text == "token: [secret:github]"
    at = f"{made_up.letters(9)}@{made_up.letters(9)}.org"
    assert redact(f"password={at},9 and {at}").text == "password=[secret:credential] and [email]"
    (first, second) = merged([Hit("host", 0, 9), Hit("secret:jwt", 5, 12), Hit("phone", 6, 14), Hit("email", 14, 20)])
    assert (first, second) == (Hit("secret:jwt", 5, 12), Hit("email", 14, 20))


def test_hits_are_places_of_the_original_text() -> None:
    person = made_up.id_card()
    text = f"一二三 {person[:8]}\u200b{person[8:]} 四"
    (hit,) = redact(text).hits
    assert (hit.kind, hit.start, hit.end) == ("id_card", 4, 4 + 19)


def test_only_known_placeholders_are_taken_for_what_was_redacted_already() -> None:
    assert redact("token: [secret:github] and [phone]").hits == ()
    secret = made_up.letters(12)
    assert secret not in redact(f"token: [secret:{secret}]").text


def test_long_values_go_to_their_end() -> None:
    long = made_up.letters(700)
    assert redact(f"token={long} end").text == "token=[secret:credential] end"
    assert redact(f'token="{long}" end').text == 'token="[secret:credential]" end'
    assert redact(f'token="{made_up.letters(3000)}" end').text.startswith('token="[secret:credential]')


@pytest.mark.parametrize(
    "unit",
    ["key=", "password ", "pw:", 'password="', "a://b:", "eyJabcdefghij.", "sk-", "a@b.", "+1", "\u200b1", "=", "A", "1 "],
)
def test_a_hostile_text_is_looked_through_to_its_end(unit: str) -> None:
    secret = made_up.github_token()
    text = f"{unit * (32_000 // len(unit))} {secret}"
    assert secret not in redact(text).text


ORDINARY = st.text(alphabet=st.characters(categories=["L", "Zs", "Po"]), max_size=200)
PIECES = st.sampled_from(
    [
        "password: ",
        "密码：",
        "token=",
        "\n",
        " ",
        '"',
        "'",
        "@",
        "://",
        ":",
        "[phone]",
        "[secret:github]",
        "key",
        "\u200b",
        "+86",
        "１",
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=12), st.from_regex(r"[A-Za-z0-9!]{8,20}", fullmatch=True)), max_size=12))
def test_redacting_twice_changes_nothing(pieces: list[str]) -> None:
    once = redact("".join(pieces)).text
    assert redact(once).text == once


@given(st.text(max_size=300), st.sampled_from(["", "token=", "密码："]))
def test_places_are_in_order_and_within_the_text(text: str, word: str) -> None:
    whole = word + text + made_up.id_card() + word + made_up.letters(12)
    at = 0
    for hit in found(whole):
        assert at <= hit.start < hit.end <= len(whole)
        assert hit.kind in KINDS
        at = hit.end


@given(ORDINARY)
def test_letters_and_punctuation_are_no_secret(text: str) -> None:
    assert found(text) == []


def test_a_password_that_happens_to_end_in_null_or_none_is_no_placeholder() -> None:
    for word in ("NuLl", "nOnE"):
        secret = f"d1v0{made_up.letters(2)}{word}!{made_up.letters(1)}"
        assert secret not in redact(f"端口 5433，密码：{secret}").text
    assert redact("password = null").text == "password = null"
