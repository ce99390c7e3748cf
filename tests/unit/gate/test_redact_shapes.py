"""Shapes in which secrets stand beside their word, behind another, or within a coding; and what only looks like them."""

import base64
import json
import string

import pytest

import made_up
from whoknows.gate.redact import found, redact

SHAPES = [
    "password for the staging database: {}",
    "the password of admin is {}",
    "密码（测试环境）：{}",
    "PASSWORD = os.environ.get('DB_PASSWORD', '{}')",
    'PASSWORD = os.environ.get("PASSWORD") or "{}"',
    'const secret = process.env.SECRET || "{}";',
    'secret := getenv("SECRET", "{}")',
    "IDENTIFIED WITH 'mysql_native_password' BY '{}'",
    'curl --user "admin":"{}" https://example.com/',
    "curl -u admin:{} https://example.com/",
    "export BUNDLE_GEMS__EXAMPLE__COM=somebody:{}",
    '<add key="ClearTextPassword" value="{}" />',
    r"#define\tpassword\t\"{}\"",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_value_goes_wherever_its_word_stands(shape: str) -> None:
    secret = made_up.password()
    assert secret not in redact(shape.replace("{}", secret)).text


def test_a_key_in_the_place_of_a_user_goes() -> None:
    key = made_up.letters(24)
    assert redact(f"curl -u {key}: https://example.com/").text == "curl -u [secret:user_key]: https://example.com/"


@pytest.mark.parametrize(
    "text",
    [
        "curl -u <user:password> https://example.com/",
        "curl --user neo4j:[PASSWORD] http://example.com/",
        "com.example:jsonwebtoken:jwt-jackson-0.11.2",
        'the entry key="jetbrains.mps.v8_elimination"',
        "event-bus-message-api:rc0.15.0_20231217_1420-SNAPSHOT",
        "minisat-master-keying:x64-uwp=fail",
        f'keyStr = "{string.ascii_uppercase}{string.ascii_lowercase}{string.digits}"',
        "-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----",
        "the password for the safe is written on the wall",
        "a token for the bus: two francs",
        "login: the page where people sign in, 2 fields",
        "PASSWORD = os.environ.get('PASSWORD') or None",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text).text == text


def test_what_is_written_in_base64_goes_as_a_whole_where_it_holds_a_secret_and_stays_where_it_does_not() -> None:
    def coded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    hides = coded(f"database:\n  user: somebody\n  password: {made_up.password()}\n")
    shows = coded("database:\n  user: somebody\n  host: the one that stands in the cellar\n")
    assert redact(f"config {hides} end").text == "config [secret:encoded] end"
    assert redact(f"config {shows} end").text == f"config {shows} end"


def test_a_private_part_of_a_key_goes_without_the_rest_of_it_and_a_public_one_stays() -> None:
    value = made_up.letters(43)
    assert redact(json.dumps({"d": value})).text == json.dumps({"d": "[secret:jwk]"})
    for shown in ({"x": value}, {"d": "the-same-name-in-words"}):
        assert redact(json.dumps(shown)).text == json.dumps(shown)


def test_a_licence_in_five_groups_goes() -> None:
    groups = "-".join(made_up.letters(5, string.ascii_uppercase + string.digits) for _ in range(5))
    assert redact(f"activation key {groups}.").text == "activation key [secret:product_key]."


@pytest.mark.parametrize("piece", ["password for a b c d ", "密码（", 'secret=get("a",', "QUJD", "x or "])
def test_what_repeats_an_opening_without_an_end_holds_nothing(piece: str) -> None:
    assert found(piece * 2000) == []
