"""Framing: the frames are the stream, whatever the line ends and however it is cut."""

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.wire.framing import Frame
from mitmproxy_windsurf.wire.sse import SSEFramer
from strategies import cuttings, every, pieces

BOM = b"\xef\xbb\xbf"


def frames(chunks: Iterable[bytes], *, limit: int = 1 << 20) -> list[Frame]:
    framer = SSEFramer(limit=limit)
    found = [frame for chunk in chunks for frame in framer.feed(chunk)]
    return found + framer.flush()


def raw(found: Iterable[Frame]) -> bytes:
    return b"".join(frame.raw for frame in found)


def seen(found: Iterable[Frame]) -> list[bytes]:
    return [frame.data for frame in found if frame.spans]


STREAMS = {
    "LF": (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
    "CRLF": (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
    "CR": (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
    "mixed": (b"data: a\n\r\ndata: b\r\n\ndata: c\r\r\ndata: d\r\n\rdata: e\n\rdata: f\n\n", None),
    "BOM": (BOM + b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
    "no space": (b"data:a\n\nevent:x\ndata:b\n\n", [b"a", b"b"]),
    "two spaces": (b"data:  a \n\n", [b" a "]),
    "names": (b"event: x\ndata: a\n\ndata: b\nevent: y\n\n", [b"a", b"b"]),
    "comments": (b": hi\n\n: ho\ndata: a\n: hum\n\n:\n\n", [b"a"]),
    "ids": (b"id: 1\nretry: 5\ndata: a\nid: 2\n\n", [b"a"]),
    "many lines": (b"data: a\ndata: b\n\ndata:c\ndata: d\r\ndata:\r\n\r\n", [b"a\nb", b"c\nd\n"]),
    "unknown fields": (b"foo: data: no\ndatum: no\n\ndata: a\n\n", [b"a"]),
    "error field": (b'error: {"error": 1}\n\n', [b'{"error": 1}']),
    "data in data": (b"data: data: a\n\n", [b"data: a"]),
    "leading space": (b" data: no\n\ndata: a\n\n", [b"a"]),
    "empty lines": (b"\n\n\ndata: a\n\n\n\n\ndata: b\n\n\n", [b"a", b"b"]),
    "empty CRLF lines": (b"\r\n\r\n\r\ndata: a\r\n\r\n\r\n\r\ndata: b\r\n\r\n\r\n", [b"a", b"b"]),
    "empty CR lines": (b"\r\r\rdata: a\r\r\r\rdata: b\r\r\r", [b"a", b"b"]),
    "no last blank line": (b"data: a\n\ndata: b\n", [b"a", b"b"]),
    "no last line end": (b"data: a\n\ndata: b", [b"a", b"b"]),
    "cut in a name": (b"data: a\n\nda", [b"a"]),
    "empty data": (b"data\n\ndata:\n\ndata: \n\n", [b"", b""]),
    "other line separators": ("data: a\x85\u2028\x0b\x0cb\n\n".encode(), None),
    "bare JSON": (b'data: a\n\n{\n  "error": {}\n}\n', [b"a", b'{\n  "error": {}\n}']),
    "bare JSON in CRLF": (b'\r\n{"a":\r\n1}\r\n\r\n', [b'{"a":\n1}']),
    "JSON and data": (b'{"a":1}\ndata: a\n\n', [b"a"]),
    "no stream at all": (b"\x00\xff<html>", []),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", STREAMS)
def test_frames_are_the_stream_and_show_its_data(name: str) -> None:
    stream, wanted = STREAMS[name]
    whole = frames([stream])
    assert raw(whole) == stream
    if wanted is not None:
        assert seen(whole) == wanted
    for chunks in cuttings(stream):
        assert frames(chunks) == whole, chunks


@given(st.data())
def test_chunk_invariance(data: st.DataObject) -> None:
    tokens = st.sampled_from([b"data:", b"event:", b" ", b"x", b":", b"\r", b"\n", b"\r\n", BOM])
    stream = b"".join(data.draw(st.lists(tokens, max_size=25)))
    chunks = data.draw(pieces(stream))
    whole = frames([stream])
    assert raw(whole) == stream
    assert frames(chunks) == whole
    limit = data.draw(st.sampled_from([5, 9]))
    found = frames(chunks, limit=limit)  # in what pieces a frame over it passes is left open
    assert raw(found) == stream
    assert seen(found) == seen(frames([stream], limit=limit))


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"])
def test_an_event_goes_out_with_its_blank_line_and_not_later(eol: bytes) -> None:
    event = b"event: x" + eol + b"data: a" + eol + eol
    for chunks in cuttings(event):
        framer = SSEFramer()
        out = [frame for chunk in chunks for frame in framer.feed(chunk)]
        assert seen(out) == [b"a"]
        assert raw(out) == event
        assert framer.flush() == []
        assert framer.release() == b""


def test_a_cr_at_a_cut_may_be_half_a_line_end() -> None:
    framer = SSEFramer()
    assert framer.feed(b"data: a\r\n\r") == []
    assert framer.feed(b"") == []
    assert framer.feed(b"\n") == [Frame(b"data: a\r\n\r\n", ((6, 7),))]


def test_where_lines_end_in_cr_no_event_waits_for_the_next() -> None:
    framer = SSEFramer()
    assert framer.feed(b"data: a\r\r") == [Frame(b"data: a\r\r", ((6, 7),))]
    assert raw(framer.feed(b"\rdata: b\r\r")) == b"\rdata: b\r\r"
    assert raw(framer.feed(b"\ndata: c\r\r")) == b"\ndata: c\r\r"


def test_release_gives_the_incomplete_frame_back() -> None:
    framer = SSEFramer()
    assert seen(framer.feed(b"data: a\n\nevent: x\ndata: b\n")) == [b"a"]
    assert framer.release() == b"event: x\ndata: b\n"
    assert framer.release() == b""
    assert framer.flush() == []


def test_data_is_replaced_line_by_line() -> None:
    [frame] = frames([b": c\r\ndata:a\r\nevent: x\r\ndata: b\r\n\r\n"])
    assert frame.with_data(b"1\n2") == b": c\r\ndata:1\r\nevent: x\r\ndata: 2\r\n\r\n"
    assert frame.with_data(frame.data) == frame.raw


def test_data_of_fewer_lines_leaves_empty_ones() -> None:
    """A value that stood on several lines may be replaced by one on a single line."""
    [frame] = frames([b'data: {"a": [\ndata: 1\ndata: ]}\n\n'])
    assert frame.with_data(b'{"a": []}') == b'data: {"a": []}\ndata: \ndata: \n\n'


@pytest.mark.parametrize(
    ("like", "expected"),
    [
        (b"data: a\n\n", b"data: b\n\n"),
        (b"data:a\r\n\r\n", b"data:b\r\n\r\n"),
        (b"event: x\ndata: a\n\n", b"event: y\ndata: b\n\n"),
        (b"data:a\revent:x\r\r", b"event:y\rdata:b\r\r"),
        (BOM + b"event:x\r\ndata:a\r\n\r\n", b"event:y\r\ndata:b\r\n\r\n"),
        (b": event: no\ndata: event: no\n\n", b"data: b\n\n"),
        (b"data:", b"data:b\n\n"),
        (b"data: a\r\n\r", b"data: b\r\n\r\n"),
        (b'{\r\n"error": 1}\r\n', b"data: b\r\n\r\n"),
    ],
)
def test_a_further_event_is_written_as_the_others_are(like: bytes, expected: bytes) -> None:
    framer = SSEFramer()
    [example] = framer.feed(like) or framer.flush()
    assert framer.event(example, "y", b"b") == expected


def test_the_first_event_of_all_is_named() -> None:
    assert SSEFramer().event(None, "y", b"b") == b"event: y\ndata: b\n\n"


LIMIT = 24
LONG = b"data: " + b"x" * 40


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"])
def test_an_event_over_the_limit_passes_unread_and_the_next_one_is_read(eol: bytes) -> None:
    stream = eol.join([b"data: a", b"", LONG, b"data: more", b"", b"data: b", b"", b""])
    for chunks in itertools.chain(cuttings(stream), [every(stream, 7)]):
        framer = SSEFramer(limit=LIMIT)
        out = [frame for chunk in chunks for frame in framer.feed(chunk)] + framer.flush()
        assert raw(out) == stream
        assert seen(out) == [b"a", b"b"]
        assert framer.overlong == 1


def test_an_event_over_the_limit_is_not_kept() -> None:
    framer = SSEFramer(limit=LIMIT)
    kept = 0
    for _ in range(100):
        kept += 1000 - len(raw(framer.feed(b"x" * 1000)))
        assert kept <= LIMIT + 3
    assert framer.overlong == 1
    assert len(framer.release()) == kept


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"])
def test_the_limit_counts_an_event_without_its_blank_line(eol: bytes) -> None:
    for size, read in [(LIMIT, True), (LIMIT + 1, False)]:
        event = b"data: ".ljust(size, b"x") + eol * 2
        for chunks in cuttings(event):
            assert bool(seen(frames(chunks, limit=LIMIT))) is read


def test_linear_work() -> None:
    """Bytes are searched once, however they come: a frame that grows is not read from its start."""
    framer = SSEFramer(limit=1 << 30)
    for _ in range(50_000):
        framer.feed(b"data: xxxxxxxxxxxxxxxxxxxx\n")
        assert framer._searched == len(framer._buffer)
    assert len(framer.flush()) == 1
