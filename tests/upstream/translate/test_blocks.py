from __future__ import annotations

from hypothesis import given

from mitmproxy_windsurf.upstream.translate.answer import CallPart, Part, TextPart, put_together
from mitmproxy_windsurf.upstream.translate.blocks import (
    Blocks,
    Closed,
    Content,
    Grew,
    Opened,
    Step,
)
from mitmproxy_windsurf.upstream.translate.model import Arguments, Event, Text, ToolCall
from upstream.translate.event_streams import runs


def steps_of(events: list[Event]) -> list[Step]:
    blocks = Blocks()
    found: list[Step] = []
    for event in events:
        assert isinstance(event, Content)
        found += blocks.feed(event)
    return found + blocks.end()


def text_of(part: Part) -> str:
    return part.arguments if isinstance(part, CallPart) else part.text


@given(runs())
def test_parts_come_whole_one_at_a_time_and_in_order(events: list[Event]) -> None:
    closed: list[Part] = []
    open_part: Part | None = None
    text = ""
    for step in steps_of(events):
        match step:
            case Opened(part):
                assert open_part is None
                assert text_of(part) == ""
                open_part, text = part, ""
            case Grew(part, piece):
                assert part is open_part
                text += piece
            case Closed(part):
                assert type(part) is type(open_part)
                assert text_of(part) == text
                closed.append(part)
                open_part = None
    assert open_part is None
    assert closed == put_together(events).choice(0).parts


def test_text_waits_for_the_end_of_a_call_before_it() -> None:
    blocks = Blocks()
    blocks.feed(ToolCall(0, 0, "a", "f"))
    assert blocks.feed(Text(0, "x")) == []
    part = CallPart(0, "a", "f")
    assert blocks.feed(Arguments(0, 0, "{}")) == [
        Grew(part, "{}"),
        Closed(CallPart(0, "a", "f", "{}")),
        Opened(TextPart("")),
        Grew(TextPart(""), "x"),
    ]


def test_an_empty_text_is_no_part() -> None:
    assert steps_of([Text(0, "")]) == []
