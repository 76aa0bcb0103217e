"""The stream callable by itself: it never raises, never gives an empty chunk, loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mitmproxy import http
from mitmproxy.test import tutils

from encoders import encode
from mitmproxy_windsurf.proxy.streaming import BodyStream, Copy, is_streamed, open_ended
from mitmproxy_windsurf.wire.decoders import decoder

STEPS = ("feed", "flush", "abort")


class Holding:
    """Holds everything back until there are three bytes; fails at a step, if one is named."""

    def __init__(self, failing: str = "", after: int = 0) -> None:
        self._held = b""
        self._failing = failing
        self._after = after

    def _maybe_fail(self, step: str) -> None:
        if step == self._failing:
            self._after -= 1
            if self._after < 0:
                raise RuntimeError(step)

    @property
    def held(self) -> int:
        return len(self._held)

    def feed(self, data: bytes, /) -> list[bytes]:
        self._maybe_fail("feed")
        self._held += data
        if len(self._held) < 3:
            return []
        return [b"", *self._all()]

    def flush(self) -> list[bytes]:
        self._maybe_fail("flush")
        return self._all()

    def abort(self) -> list[bytes]:
        self._maybe_fail("abort")
        return self._all()

    def _all(self) -> list[bytes]:
        held, self._held = self._held, b""
        return [held]


chunks = st.lists(st.binary(min_size=1, max_size=4), max_size=8)


@given(chunks=chunks, failing=st.sampled_from(["", *STEPS]), after=st.integers(0, 3))
def test_no_loss_and_no_empty_chunk(chunks: list[bytes], failing: str, after: int) -> None:
    warnings: list[str] = []
    for ending in ("end", "break"):
        body = BodyStream(Holding(failing, after), warnings.append, keep=100)
        out = [body(chunk) for chunk in chunks]
        out.append(body(b"") if ending == "end" else body.release())
        sent = [piece for pieces in out for piece in pieces]
        assert b"" not in sent
        if failing != "abort":
            assert b"".join(sent) == b"".join(chunks)
        assert bytes(body.sent) == b"".join(sent)
        assert bytes(body.came) == b"".join(chunks)
        assert body.bytes_in == len(b"".join(chunks))
        assert body.bytes_out == len(b"".join(sent))
    assert len(warnings) <= 2, "one for each body"


def test_nothing_comes_twice_after_a_release() -> None:
    body = BodyStream(Holding(), lambda line: None)
    assert body(b"ab") == []
    assert body.release() == [b"ab"]
    assert body.release() == []
    assert body(b"") == []


def test_a_damaged_body_gives_what_could_be_decoded_and_then_nothing() -> None:
    warnings: list[str] = []
    good = encode("gzip", b"a" * 5000 + b"b")
    body = BodyStream(Holding(), warnings.append, decoder=decoder("gzip"))
    first = body(good[:20])
    assert body(b"\xff" * 100) == []
    assert body(b"more") == []
    assert body(b"") == []
    assert body.damaged
    assert len(warnings) == 1
    assert set(b"".join(first)) <= {ord("a")}


@given(limit=st.integers(0, 10), chunks=chunks)
def test_a_copy_is_capped(limit: int, chunks: list[bytes]) -> None:
    copy = Copy(limit)
    for chunk in chunks:
        copy.add(chunk)
    data = b"".join(chunks)
    assert bytes(copy) == data[:limit]
    assert copy.complete is (len(data) <= limit)


def response(**headers: str) -> http.Response:
    found: http.Response = tutils.tresp(headers=http.Headers())
    for name, value in headers.items():
        found.headers[name.replace("_", "-")] = value
    return found


@pytest.mark.parametrize(
    ("headers", "asked", "expected"),
    [
        ({"content_type": "text/event-stream"}, False, True),
        ({"content_type": "TEXT/EVENT-STREAM; charset=utf-8"}, False, True),
        ({"content_type": "application/x-ndjson"}, False, True),
        ({"content_type": "application/json"}, False, False),
        ({"content_type": "application/json", "content_length": "5"}, True, False),
        ({"content_type": "application/json", "transfer_encoding": "chunked"}, True, True),
        ({"content_type": "application/vnd.x+json", "content_length": "5"}, True, False),
        ({}, True, True),
        ({}, False, False),
        ({"content_type": "text/plain", "content_length": "5"}, True, True),
    ],
)
def test_what_is_streamed(headers: dict[str, str], asked: bool, expected: bool) -> None:
    assert is_streamed(response(**headers), asked) is expected


def test_an_error_is_not_streamed_because_a_stream_was_asked_for() -> None:
    error = response()
    error.status_code = 400
    assert not is_streamed(error, True)


@pytest.mark.parametrize(
    ("client", "upstream", "headers", "expected"),
    [
        ("HTTP/1.1", "HTTP/1.1", {"content-length": "5"}, {"transfer-encoding": "chunked"}),
        ("HTTP/1.1", "HTTP/2.0", {}, {"transfer-encoding": "chunked"}),
        ("HTTP/1.1", "HTTP/1.1", {}, {"transfer-encoding": "chunked", "connection": "close"}),
        ("HTTP/2.0", "HTTP/1.1", {"content-length": "5"}, {}),
        ("HTTP/1.0", "HTTP/1.1", {"transfer-encoding": "chunked"}, {}),
    ],
)
def test_framing(
    client: str, upstream: str, headers: dict[str, str], expected: dict[str, str]
) -> None:
    request: http.Request = tutils.treq(http_version=client.encode())
    answer = response(**headers, etag="1", digest="2", content_md5="3")
    answer.http_version = upstream
    open_ended(request, answer)
    assert dict(answer.headers) == expected
