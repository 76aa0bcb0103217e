"""Keys by their shape: all of them go, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.debug.keys import CENSORED, censor, censor_bytes

# Made up here, and put together so that no scanner takes this file for a leak.
KEYS = {
    "anthropic": "sk-" + "ant-api03-Zm9vYmFyYmF6cXV4_1234567890-AbCdEf",
    "openai": "sk-" + "proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "github": "ghp" + "_0123456789abcdefABCDEF0123456789abcd",
    "github, fine-grained": "github" + "_pat_11ABCDEFG0123456789_abcdefghijk",
    "gitlab": "glpat" + "-Ab12Cd34Ef56Gh78Ij90",
    "google": "AIza" + "SyA-0123456789abcdefghijklmnopqrstu",
    "google, oauth": "ya29" + ".a0AfH6SMBx0123456789abc",
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "slack": "xoxb" + "-123456789012-abcdefghijkl",
    "x.ai": "xai" + "-0123456789abcdefghij",
    "groq": "gsk" + "_0123456789abcdefghijABCD",
    "hugging face": "hf" + "_abcdefghijklmnopqrst0123456789",
    "json web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl-_",
}
WORDS = [
    "a task-oriented-approach-to-9-things",
    "sk-learn-is-a-nice-library-for-this",
    "the disk-based-cache-of-2024-and-later",
    "AIzawa and AKIA are short",
    "eyJust.a.word",
    "monkey=banana",
    "the bearer of bad news",
    "-----BEGIN CERTIFICATE-----",
    "toolu_01A09q90qw90lq917835lq9",
    "msg_013Zva2CMHLNnjNjJKqJ2EF",
    "You are Claude Code, Anthropic's official CLI for Claude.",
]
AROUND = [
    ("", ""),
    ("key: ", "."),
    ('{"k":"', '"}'),
    ("a\\n", "\\nb"),
    ("(", ")"),
    ("x=", "&y"),
    ("日", "本"),
]


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
@pytest.mark.parametrize(("before", "after"), AROUND)
def test_a_key_is_cut_out_wherever_it_stands(key: str, before: str, after: str) -> None:
    assert censor(f"{before}{key}{after}") == f"{before}{CENSORED}{after}"
    data = f"{before}{key}{after}".encode()
    assert censor_bytes(data) == f"{before}{CENSORED}{after}".encode()


@pytest.mark.parametrize(
    ("text", "censored"),
    [
        ("Authorization: Bearer abcdef.123-456", f"Authorization: Bearer {CENSORED}"),
        ("export OPENAI_API_KEY=hunter2hunter2", f"export OPENAI_API_KEY={CENSORED}"),
        ("DB_PASSWORD=correcthorse\nNEXT=1", f"DB_PASSWORD={CENSORED}\nNEXT=1"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nrest",
            f"{CENSORED}\nrest",
        ),
        ("-----BEGIN PRIVATE KEY-----\\nMIIEow", CENSORED),
    ],
)
def test_what_is_named_a_key_is_cut_out_whatever_it_looks_like(text: str, censored: str) -> None:
    assert censor(text) == censored


@pytest.mark.parametrize("text", WORDS)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert censor(text) == text


@given(st.binary())
def test_bytes_without_a_key_stay_as_they_are(data: bytes) -> None:
    assert censor_bytes(data) == data


@given(st.text(), st.sampled_from(sorted(KEYS.values())))
def test_what_is_censored_has_no_key_left(text: str, key: str) -> None:
    censored = censor(f"{text} {key} {text}")
    assert key not in censored
    assert censor(censored) == censored
