"""Whose key the backend gets."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.credentials import credentials
from mitmproxy_windsurf.upstream.exchange import Request


@pytest.mark.parametrize(
    ("headers", "query", "value"),
    [
        ({"authorization": "Bearer a"}, "", "Bearer a"),
        ({"authorization": "Basic YTpi", "x-api-key": "b"}, "key=c", "Basic YTpi"),
        ({"x-api-key": " a "}, "", "Bearer a"),
        ({"x-goog-api-key": "a"}, "alt=sse&key=b", "Bearer a"),
        ({}, "alt=sse&key=a%2Bb", "Bearer a+b"),
    ],
)
def test_the_clients_key_goes_on_as_a_bearer_token(
    headers: dict[str, str], query: str, value: str
) -> None:
    request = Request("POST", "/", query, headers)
    assert credentials(request) == [("authorization", value)]
    assert credentials(request, "own") == [("authorization", "Bearer own")]


@pytest.mark.parametrize(("headers", "query"), [({}, ""), ({"x-api-key": " "}, "key=&a=b")])
def test_without_a_key_none_is_sent(headers: dict[str, str], query: str) -> None:
    assert credentials(Request("POST", "/", query, headers)) == []
