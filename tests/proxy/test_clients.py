"""Who sends a request, and whose own API it is going to."""

import pytest
from mitmproxy import http

from mitmproxy_windsurf.proxy.clients import client_name, is_one_of, is_own_vendor, matches

CLAUDE = "claude-cli/2.1.332 (external, cli)"
CODEX = "codex_exec/0.171.0 (Linux)"
GEMINI = "GeminiCLI/0.61.0/gemini-2.5-pro (linux; x64)"


def request(agent: str | None) -> http.Request:
    made = http.Request.make("POST", "http://a.b/")
    if agent is not None:
        made.headers["User-Agent"] = agent
    return made


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (CLAUDE, "claude-cli/2.1.332"),
        (None, ""),
        ("x" * 100, "x" * 64 + "…"),
        ("evil\x1b[2J agent", r"evil\x1b[2J"),
    ],
)
def test_the_name_of_a_client(agent: str | None, name: str) -> None:
    assert client_name(request(agent)) == name


@pytest.mark.parametrize(
    ("agent", "host", "expected"),
    [
        (CLAUDE, "api.anthropic.com", True),
        (CLAUDE, "Anthropic.COM.", True),
        (CLAUDE, "notanthropic.com", False),
        (CLAUDE, "anthropic.com.evil.example", False),
        (CLAUDE, "api.openai.com", False),
        (CODEX, "api.openai.com", True),
        (CODEX, "chatgpt.com", True),
        (GEMINI, "generativelanguage.googleapis.com", True),
        ("curl/8", "api.anthropic.com", False),
        (None, "api.anthropic.com", False),
    ],
)
def test_the_vendor_of_the_client(agent: str | None, host: str, expected: bool) -> None:
    assert is_own_vendor(request(agent), host) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("api.example.com", True),
        ("API.Example.com.", True),
        ("x.y.example.org", True),
        ("example.org", False),
        ("other.com", False),
    ],
)
def test_host_patterns(host: str, expected: bool) -> None:
    assert matches(host, ("api.example.com", "*.example.org")) is expected


def test_words_of_a_user_agent() -> None:
    assert is_one_of(request(GEMINI), ("claude-cli", "geminicli"))
    assert not is_one_of(request("curl/8"), ("claude-cli",))
    assert not is_one_of(request(None), ("claude-cli",))
