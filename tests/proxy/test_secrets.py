"""No copy that we make carries a key any further."""

import pytest
from mitmproxy import http

from mitmproxy_windsurf.debug.keys import CENSORED
from mitmproxy_windsurf.proxy.secrets import Secrets


def request(path: str = "/", **headers: str) -> http.Request:
    made = http.Request.make("POST", "http://a.b/")
    made.path = path
    for name, value in headers.items():
        made.headers[name.replace("_", "-")] = value
    return made


@pytest.mark.parametrize(
    ("made", "secret"),
    [
        (request(authorization="Bearer sk-0123456"), "sk-0123456"),
        (request(authorization="sk-0123456"), "sk-0123456"),
        (request(proxy_authorization="Basic dXNlcjpwYXNz"), "dXNlcjpwYXNz"),
        (request(x_api_key="key-0123456"), "key-0123456"),
        (request(x_goog_api_key="key-0123456"), "key-0123456"),
        (request(api_key="key-0123456"), "key-0123456"),
        (request(cookie="a=b; session=s-0123456"), "s-0123456"),
        (request("/v1?alt=sse&key=AIza0123456"), "AIza0123456"),
        (request("/v1?access_token=t%2D0123456"), "t-0123456"),
    ],
)
def test_secrets_are_cut_out(made: http.Request, secret: str) -> None:
    secrets = Secrets(made)
    assert secrets.cut(f"with {secret}, ok") == f"with {CENSORED}, ok"
    assert secrets.cut_bytes(f"with {secret}, ok".encode()) == f"with {CENSORED}, ok".encode()


def test_the_rest_stays() -> None:
    secrets = Secrets(
        request("/v1?alt=sse", user_agent="claude-cli/2", cookie="a=b", authorization="Bearer x")
    )
    text = "claude-cli/2 sse a=b Bearer x"
    assert secrets.cut(text) == text
