"""Lines as frames: the frames are the stream, whatever the line ends and however it is cut."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.wire.framing import Frame
from mitmproxy_windsurf.wire.ndjson import NDJSONFramer
from strategies import cuttings, pieces


def frames(chunks: Iterable[bytes], *, limit: int = 1 << 20) -> list[Frame]:
    framer = NDJSONFramer(limit=limit)
    found = [frame for chunk in chunks for frame in framer.feed(chunk)]
    return found + framer.flush()


def raw(found: Iterable[Frame]) -> bytes:
    return b"".join(frame.raw for frame in found)


def seen(found: Iterable[Frame]) -> list[bytes]:
    return [frame.data for frame in found if frame.spans]


STREAMS = {
    "LF": (b'{"a":1}\n{"b":2}\n', [b'{"a":1}', b'{"b":2}']),
    "CRLF": (b'{"a":1}\r\n{"b":2}\r\n', [b'{"a":1}', b'{"b":2}']),
    "no last line end": (b"{}\n[]", [b"{}", b"[]"]),
    "blank lines": (b"\n\r\n{}\n \n\t\r\n{}\n\n", [b"{}", b"{}"]),
    "blanks around": (b"  {}\t \n", [b"{}"]),
    "no JSON": (b"\x00\xff<html>\n", [b"\x00\xff<html>"]),
    "a bare CR": (b"a\rb\n", [b"a\rb"]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", STREAMS)
def test_frames_are_the_stream_and_show_its_lines(name: str) -> None:
    stream, wanted = STREAMS[name]
    for chunks in cuttings(stream):
        found = frames(chunks)
        assert raw(found) == stream, chunks
        assert seen(found) == wanted, chunks


@given(st.data())
def test_chunk_invariance(data: st.DataObject) -> None:
    tokens = st.sampled_from([b"{}", b"x", b" ", b"\r", b"\n", b"\r\n"])
    stream = b"".join(data.draw(st.lists(tokens, max_size=25)))
    limit = data.draw(st.sampled_from([1 << 20, 3, 5]))
    whole = frames([stream], limit=limit)
    found = frames(data.draw(pieces(stream)), limit=limit)
    assert raw(found) == raw(whole) == stream
    assert seen(found) == seen(whole)


def test_a_line_goes_out_with_its_end_and_not_later() -> None:
    framer = NDJSONFramer()
    assert framer.feed(b'{"a"') == []
    assert framer.feed(b":1}") == []
    assert framer.feed(b"\n") == [Frame(b'{"a":1}\n', ((0, 7),))]
    assert framer.flush() == []


def test_release_gives_the_incomplete_line_back() -> None:
    framer = NDJSONFramer()
    assert seen(framer.feed(b"{}\n[")) == [b"{}"]
    assert framer.release() == b"["
    assert framer.release() == b""
    assert framer.flush() == []


def test_data_is_replaced() -> None:
    [frame] = frames([b' {"a":1} \r\n'])
    assert frame.with_data(b"{}") == b" {} \r\n"


@pytest.mark.parametrize("eol", [b"\n", b"\r\n"])
def test_a_further_line_ends_as_the_others_do(eol: bytes) -> None:
    framer = NDJSONFramer()
    [like] = framer.feed(b"{}" + eol)
    assert framer.event(like, "name", b"[]") == b"[]" + eol
    assert framer.event(None, None, b"[]") == b"[]\n"


def test_behind_an_unterminated_line_its_end_comes_first() -> None:
    framer = NDJSONFramer()
    framer.feed(b"{}")
    [last] = framer.flush()
    further = framer.ending(last) + framer.event(last, None, b"[]")
    assert seen(frames([last.raw, further])) == [b"{}", b"[]"]


@pytest.mark.parametrize("eol", [b"\n", b"\r\n"])
def test_a_line_over_the_limit_passes_unread_and_the_next_one_is_read(eol: bytes) -> None:
    stream = eol.join([b"aaaaa", b"bbbbbb", b"cccc", b""])
    for chunks in cuttings(stream):
        framer = NDJSONFramer(limit=5)
        found = [frame for chunk in chunks for frame in framer.feed(chunk)] + framer.flush()
        assert raw(found) == stream
        assert seen(found) == [b"aaaaa", b"cccc"]
        assert framer.overlong == 1


def test_a_line_over_the_limit_is_not_kept() -> None:
    framer = NDJSONFramer(limit=5)
    for _ in range(100):
        assert raw(framer.feed(b"x" * 1000)) == b"x" * 1000
    assert framer.overlong == 1
