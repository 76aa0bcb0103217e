"""Names that a page on the internet cannot send, and what a handler is told."""

from __future__ import annotations

import h11
import pytest

from mitmproxy_windsurf.upstream.admission import Admission, Limits, Refused, refusal, with_close


def head(host: str, target: str = "/", *more: tuple[str, str]) -> h11.Request:
    return h11.Request(method="POST", target=target, headers=[("Host", host), *more])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:8080", "localhost", "LocalHost:1", "[::1]", "[::1]:65535"],
)
def test_loopback_names_are_admitted(host: str) -> None:
    assert Admission(head(host), Limits()).request().headers["host"] == host


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "evil.example#localhost",
        "user@localhost",
        "localhost:80:80",
        "localhost:",
        "127.0.0.2",
        "0.0.0.0",
        "[::1",
        "::1",
        "[::2]",
        "192.168.0.1:8080",
        "",
    ],
)
def test_other_names_are_not(host: str) -> None:
    with pytest.raises(Refused) as refused:
        Admission(head(host), Limits())
    assert refused.value.status == 403


def test_a_request_is_told_apart_into_path_and_query() -> None:
    request = Admission(head("localhost", "/v1/m%20x?beta=true&a=?"), Limits()).request()
    assert (request.path, request.query) == ("/v1/m%20x", "beta=true&a=?")


def test_a_body_is_joined_and_limited() -> None:
    admission = Admission(head("localhost"), Limits(body=4))
    admission.collect(b"ab")
    admission.collect(b"cd")
    assert admission.request().body == b"abcd"
    with pytest.raises(Refused) as refused:
        admission.collect(b"e")
    assert refused.value.status == 413


def test_a_refusal_closes_the_connection() -> None:
    response, data = refusal(413, "too much")
    headers = dict(response.headers)
    assert headers[b"connection"] == b"close"
    assert int(headers[b"content-length"]) == len(data.data)


def test_closing_keeps_the_other_headers() -> None:
    response = with_close(h11.Response(status_code=201, headers=[("x-a", "1")]))
    assert response.status_code == 201
    assert list(response.headers) == [(b"x-a", b"1"), (b"connection", b"close")]
