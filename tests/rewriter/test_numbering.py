"""Numbers stay gapless when events are added."""

from mitmproxy_windsurf.rewriter.numbering import Numbering, number_behind
from playbook import Json


def event(number: int, name: str = "x") -> bytes:
    return b'data: {"type":"%s","sequence_number":%d}\n\n' % (name.encode(), number)


def test_as_long_as_nothing_is_added_nothing_changes() -> None:
    numbering = Numbering()
    assert numbering.apply((), b'{ "sequence_number" : 007 }') == [b'{ "sequence_number" : 007 }']


def test_an_added_event_takes_the_number_of_the_one_it_goes_before() -> None:
    numbering = Numbering()
    assert numbering.apply([event(0, "y")], event(4)) == [event(4, "y"), event(5)]
    assert numbering.apply((), event(5)) == [event(6)]
    assert numbering.apply([event(0, "y"), event(0, "z")], event(6)) == [
        event(7, "y"),
        event(8, "z"),
        event(9),
    ]


def test_an_added_event_at_the_end_keeps_its_own_number() -> None:
    assert Numbering().apply([event(5)], b"") == [event(5), b""]


def test_added_events_without_a_number_move_nobody() -> None:
    numbering = Numbering()
    assert numbering.apply([b"data: 1\n\n"], event(4)) == [b"data: 1\n\n", event(4)]
    assert numbering.apply((), event(5)) == [event(5)]


def test_a_number_inside_of_a_string_is_text() -> None:
    numbering = Numbering()
    text = rb'data: {"delta":"\"sequence_number\": 3","sequence_number": 7}'
    assert numbering.apply([event(0)], text) == [event(7), text.replace(b" 7", b" 8")]


def test_a_document_of_our_own_is_numbered_as_the_others_are() -> None:
    document: Json = {"sequence_number": 4}
    number_behind(document, {"sequence_number": 7})
    assert document == {"sequence_number": 8}
    number_behind(document, {})
    assert document == {"sequence_number": 8}
    bare: Json = {}
    number_behind(bare, {"sequence_number": 7})
    assert bare == {}
