"""The base URL of the upstream, and what counts as this machine."""

import pytest

from mitmproxy_windsurf.upstream.target import Target, is_loopback, is_unspecified, parse_target


@pytest.mark.parametrize(
    ("url", "target", "shown"),
    [
        ("http://127.0.0.1:3003", Target("http", "127.0.0.1", 3003), "http://127.0.0.1:3003"),
        (" https://a.b/ ", Target("https", "a.b", 443), "https://a.b"),
        ("http://a.b/x/y/", Target("http", "a.b", 80, "/x/y"), "http://a.b/x/y"),
        ("HTTPS://A.b:444", Target("https", "a.b", 444), "https://a.b:444"),
        ("http://[::1]:3003", Target("http", "::1", 3003), "http://[::1]:3003"),
    ],
)
def test_a_base_url(url: str, target: Target, shown: str) -> None:
    assert parse_target(url) == target
    assert str(target) == shown


def test_an_empty_one_stands_for_the_embedded_handler() -> None:
    assert parse_target(" ") is None


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:3003",
        "localhost:3003",
        "ftp://a.b",
        "http://",
        "http://a.b:port",
        "http://a.b:99999",
        "http://[::1",
        "http://a.b?x=1",
        "http://a.b/#x",
        "http://user:pass@a.b",
    ],
)
def test_what_is_none_says_what_to_write(url: str) -> None:
    with pytest.raises(ValueError, match=r"http://127\.0\.0\.1:3003") as caught:
        parse_target(url)
    assert "pass@" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("a.localhost", True),
        ("192.168.1.2", False),
        ("::ffff:192.168.1.2", False),
        ("fe80::1%eth0", False),
        ("localhost.evil.com", False),
        ("0.0.0.0", False),
        ("", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [("", True), ("0.0.0.0", True), ("::", True), ("127.0.0.1", False), ("a.b", False)],
)
def test_unspecified(host: str, expected: bool) -> None:
    assert is_unspecified(host) is expected
