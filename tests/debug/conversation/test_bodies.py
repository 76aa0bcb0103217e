"""The documents of a body, however it is framed."""

import pytest

from mitmproxy_windsurf.debug.conversation import bodies
from mitmproxy_windsurf.debug.conversation.bodies import documents, is_readable

ONE, TWO = {"a": "é"}, {"b": [1, "]"]}


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":"\xc3\xa9"}\n{"b":[1,"]"]}\n',
        b'[{"a":"\xc3\xa9"}\n,\r\n{"b":[1,"]"]}\n]\n',
        b'data: {"a":"\xc3\xa9"}\n\ndata: {"b":[1,"]"]}\n\ndata: [DONE]\n\n',
        b'\xef\xbb\xbfevent:x\r\ndata:{"a":"\xc3\xa9"}\r\n\r\n: hello\r\n\r\ndata:{"b":[1,"]"]}',
        b'data: {"a":\ndata: "\xc3\xa9"}\n\ndata: [DONE]\n\ndata: {"b":[1,"]"]}\n\n',
        b'data: {"a":"\xc3\xa9"}\r\n\r\n{"b":[1,"]"]}\n',
    ],
    ids=["lines", "array", "events", "CRLF", "many data lines", "bare JSON among events"],
)
def test_documents_are_found_in_every_framing(body: bytes) -> None:
    assert documents(body) == ([ONE, TWO], [])
    assert is_readable(body)


def test_a_whole_body_is_one_document() -> None:
    assert documents(b' {"a": "\xc3\xa9"} ') == ([ONE], [])


@pytest.mark.parametrize("body", [b'{"a":"\xc3\xa9"}\n{"b":', b'[{"a":"\xc3\xa9"},{"b":[1,'])
def test_what_is_cut_off_is_said(body: bytes) -> None:
    found, notes = documents(body)
    assert found == [ONE]
    assert "cut off" in notes[0]


def test_a_broken_event_does_not_end_a_stream() -> None:
    body = b'data: {"a":"\xc3\xa9"}\n\ndata: oops\n\ndata: {"b":[1,"]"]}\n\n'
    assert documents(body) == ([ONE, TWO], ["1 event could not be read"])


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xfe", b"a plain text\n\nof two lines"])
def test_other_bodies_have_no_documents(body: bytes) -> None:
    assert documents(body) == ([], [])
    assert not is_readable(body)


def test_a_huge_body_is_read_at_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LARGEST", 40)
    found, notes = documents(b'{"a":"\xc3\xa9"}\n' * 10)
    assert found == [ONE] * 3
    assert notes[0] == "only the first 40 of 110 bytes are read"
