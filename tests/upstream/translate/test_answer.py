from __future__ import annotations

from mitmproxy_windsurf.upstream.translate.answer import (
    CallPart,
    TextPart,
    ThinkingPart,
    put_together,
)
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Event,
    Failure,
    Finished,
    Started,
    Text,
    Thinking,
    ToolCall,
    Usage,
)


def test_parts_stand_in_their_order_and_adjacent_texts_are_one() -> None:
    events: list[Event] = [Text(0, "a"), Text(0, "b"), Thinking(0, "hm"), Text(0, ""), Text(0, "c")]
    choice = put_together(events).choice(0)
    assert choice.parts == [TextPart("ab"), ThinkingPart("hm"), TextPart("c")]
    assert (choice.joined(TextPart), choice.joined(ThinkingPart)) == ("abc", "hm")


def test_arguments_find_their_call() -> None:
    begun = [ToolCall(0, 0, "a", "f"), ToolCall(0, 1, "b", "g"), ToolCall(1, 0, "c", "h")]
    more = [Arguments(0, 0, "{"), Arguments(0, 1, "["), Arguments(1, 0, "1"), Arguments(0, 0, "}")]
    answer = put_together([*begun, *more])
    assert answer.choice(0).calls == [CallPart(0, "a", "f", "{}"), CallPart(1, "b", "g", "[")]
    assert answer.choice(1).calls == [CallPart(0, "c", "h", "1")]


def test_what_belongs_to_no_choice_is_noted() -> None:
    started, usage, failure = Started("i", "m", 7), Usage(1, 2), Failure(502, "no")
    answer = put_together([started, Finished(0, "stop"), usage, failure])
    assert (answer.started, answer.usage, answer.failure) == (started, usage, failure)
    assert answer.choice(0).finished == Finished(0, "stop")


def test_no_events_are_an_empty_answer() -> None:
    answer = put_together([])
    assert (answer.choices, answer.usage, answer.failure) == ({}, None, None)
