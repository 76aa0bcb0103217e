"""Which proxy the environment names for which server."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.proxies import proxy_for
from mitmproxy_windsurf.upstream.target import parse_target

PROXY = "http://proxy.test:3128"


def chosen(url: str, **environment: str) -> str | None:
    target = parse_target(url)
    assert target
    proxy = proxy_for(target, environment)
    return None if proxy is None else str(proxy.target)


@pytest.mark.parametrize(
    ("url", "environment"),
    [
        ("http://a.test", {"http_proxy": PROXY}),
        ("http://a.test", {"HTTP_PROXY": PROXY}),
        ("http://a.test", {"HTTP_PROXY": "http://other", "http_proxy": PROXY}),
        ("https://a.test", {"HTTPS_PROXY": PROXY}),
        ("https://a.test", {"ALL_PROXY": PROXY}),
        ("https://a.test", {"ALL_PROXY": "http://other", "https_proxy": PROXY}),
        ("https://a.test", {"https_proxy": "proxy.test:3128"}),
        ("https://a.test", {"https_proxy": f" {PROXY}/ "}),
        ("https://a.test", {"https_proxy": PROXY, "no_proxy": "b.test, a.tes .est,,"}),
        ("https://a.test", {"https_proxy": PROXY, "no_proxy": "a.test:8443"}),
        ("https://10.1.2.3", {"https_proxy": PROXY, "no_proxy": "10.2.0.0/16"}),
    ],
)
def test_a_proxy_is_used(url: str, environment: dict[str, str]) -> None:
    assert chosen(url, **environment) == PROXY


@pytest.mark.parametrize(
    ("url", "environment"),
    [
        ("https://a.test", {}),
        ("https://a.test", {"http_proxy": PROXY}),
        ("https://a.test", {"https_proxy": ""}),
        ("https://a.test", {"https_proxy": PROXY, "no_proxy": "*"}),
        ("https://a.test", {"https_proxy": PROXY, "no_proxy": "b.test,A.TEST"}),
        ("https://x.a.test", {"https_proxy": PROXY, "no_proxy": "a.test"}),
        ("https://x.a.test", {"https_proxy": PROXY, "NO_PROXY": ".a.test"}),
        ("https://x.a.test", {"https_proxy": PROXY, "no_proxy": "*.a.test"}),
        ("https://a.test:8443", {"https_proxy": PROXY, "no_proxy": "a.test:8443"}),
        ("https://10.1.2.3", {"https_proxy": PROXY, "no_proxy": "10.1.0.0/16"}),
        ("https://[2001:db8::1]", {"https_proxy": PROXY, "no_proxy": "2001:db8::/32"}),
        ("https://[2001:db8::1]:8", {"https_proxy": PROXY, "no_proxy": "[2001:db8::1]:8"}),
    ],
)
def test_none_is_used(url: str, environment: dict[str, str]) -> None:
    assert chosen(url, **environment) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "[::1]", "a.localhost"])
def test_this_machine_is_reached_without_one(host: str) -> None:
    assert chosen(f"http://{host}:1", http_proxy=PROXY, ALL_PROXY=PROXY) is None


def test_a_user_of_the_proxy_is_authorized_and_not_shown() -> None:
    target = parse_target("https://a.test")
    assert target
    proxy = proxy_for(target, {"https_proxy": "https://us%40er:pass%3Aword@proxy.test"})
    assert proxy
    assert proxy.authorization == "Basic dXNAZXI6cGFzczp3b3Jk"
    assert str(proxy.target) == "https://proxy.test"
    assert "dXNAZXI" not in repr(proxy)


@pytest.mark.parametrize(
    "url", ["socks5://secret@p.test:1", "http://secret@p.test:port", "http://"]
)
def test_what_cannot_be_used_is_named_but_not_said(url: str) -> None:
    with pytest.raises(ValueError, match="HTTPS_PROXY") as caught:
        chosen("https://a.test", https_proxy=url)
    assert "secret" not in str(caught.value)
