from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given

from mitmproxy_windsurf.upstream.translate.answer import (
    CallPart,
    Part,
    RefusalPart,
    ThinkingPart,
    put_together,
)
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Asked,
    Event,
    Failure,
    Finished,
    FinishReason,
    Json,
    Started,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from mitmproxy_windsurf.upstream.translate.openai_responses import OpenAIResponsesDialect
from mitmproxy_windsurf.upstream.translate.sealed_thought import unseal
from upstream.translate.answers import frames_of
from upstream.translate.event_streams import STARTED, answers

DIALECT = OpenAIResponsesDialect()
TOOLS: list[Json] = [
    {"type": "function", "name": "read"},
    {"type": "custom", "name": "apply_patch"},
    {"type": "tool_search", "execution": "client"},
    {"type": "namespace", "name": "crm", "tools": [{"type": "function", "name": "find"}]},
]
SEALED = "reasoning.encrypted_content"
BODY: Json = {"model": "gpt", "input": "hi", "tools": TOOLS, "stream": True, "include": [SEALED]}
STOP = Finished(0, "stop")


def written(events: Sequence[Event], **body: Any) -> list[Json]:
    """The events of a stream, with the names of their frames looked at."""
    asked = Asked({**BODY, **body})
    writer = DIALECT.writer(asked, DIALECT.request(asked))
    data = b"".join(map(writer.feed, events))
    if not isinstance(events[-1], Failure):
        data += writer.end()
    found = []
    for name, event in frames_of(data):
        assert name == event["type"]
        found.append(event)
    return found


def whole(events: Sequence[Event], **body: Any) -> Json:
    asked = Asked({**BODY, **body})
    return DIALECT.whole(asked, DIALECT.request(asked), events)


def kinds(events: Sequence[Json]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


@given(answers())
def test_the_laws_of_a_stream(events: list[Event]) -> None:
    found = written(events)
    assert [event["sequence_number"] for event in found] == [*range(len(found))]
    assert kinds(found)[:2] == ["created", "in_progress"]
    response = found[-1]["response"]
    assert response == whole(events)
    added = [event["item"] for event in found if kinds([event]) == ["output_item.added"]]
    done = [event["item"] for event in found if kinds([event]) == ["output_item.done"]]
    assert done == response["output"]
    assert [item["id"] for item in added] == [item["id"] for item in done]
    assert len({item["id"] for item in done}) == len(done)
    parts = put_together(events).choice(0).parts
    assert len(parts) == len(done)
    for index, (part, item) in enumerate(zip(parts, done, strict=True)):
        here = [event for event in found if event.get("output_index") == index]
        assert kinds(here)[0] == "output_item.added"
        assert kinds(here)[-1] == "output_item.done"
        check(part, item, here)


def check(part: Part, item: Json, events: list[Json]) -> None:
    """Every text, thought and argument arrives once in deltas, once done, and once in the item."""
    text = "".join(event["delta"] for event in events if event["type"].endswith(".delta"))
    ends = [event for event in events if event["type"].endswith(".done")]
    match part:
        case CallPart(name="tool_search"):
            assert item["arguments"] == parsed(part.arguments)
            return
        case CallPart(name="apply_patch"):
            assert ends[0]["input"] == item["input"] == text
            value = parsed(part.arguments)
            if isinstance(value, dict) and isinstance(value.get("input"), str):
                assert text == value["input"]
            return
        case CallPart():
            assert ends[0]["arguments"] == item["arguments"] == text
            assert text == part.arguments or (text, part.arguments) == ("{}", "")
            return
    member = "refusal" if isinstance(part, RefusalPart) else "text"
    assert text == part.text
    assert ends[0][member] == ends[1]["part"][member] == text
    assert [content[member] for content in item["content"]] == [text]
    if isinstance(part, ThinkingPart):
        assert unseal(item["encrypted_content"]) == text


def parsed(arguments: str) -> Any:
    return json.loads(arguments) if arguments else {}


def test_events_as_they_come() -> None:
    asked = Asked(BODY)
    writer = DIALECT.writer(asked, DIALECT.request(asked))
    fed: list[tuple[Event, list[str]]] = [
        (STARTED, ["created", "in_progress"]),
        (
            Thinking(0, "hm"),
            ["output_item.added", "content_part.added", "reasoning_text.delta"],
        ),
        (
            Text(0, "a"),
            [
                *("reasoning_text.done", "content_part.done", "output_item.done"),
                *("output_item.added", "content_part.added", "output_text.delta"),
            ],
        ),
        (Text(0, "b"), ["output_text.delta"]),
        (
            ToolCall(0, 0, "c", "read"),
            ["output_text.done", "content_part.done", "output_item.done", "output_item.added"],
        ),
        (Arguments(0, 0, "{}"), ["function_call_arguments.delta"]),
        (Finished(0, "tool_calls"), []),
        (Usage(1, 1), []),
    ]
    for event, expected in fed:
        assert kinds([data for _, data in frames_of(writer.feed(event))]) == expected
    last = [data for _, data in frames_of(writer.end())]
    assert kinds(last) == ["function_call_arguments.done", "output_item.done", "completed"]


def test_a_summary_where_one_was_asked_for() -> None:
    events: list[Event] = [STARTED, Thinking(0, "hm"), STOP]
    found = written(events, reasoning={"effort": "low", "summary": "auto"}, include=None)
    assert kinds(found)[2:-1] == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
    ]
    (item,) = found[-1]["response"]["output"]
    summary = [{"type": "summary_text", "text": "hm"}]
    assert item == {"id": "rs_chatcmpl-1_0", "type": "reasoning", "summary": summary}


def test_calls_are_those_of_the_clients_tools() -> None:
    events: list[Event] = [STARTED]
    names = ("crm__find", "apply_patch", "tool_search", "unknown")
    arguments = ('{"x":1}', '{"input": "x\\n"}', '{"query":"q"}', "{}")
    for index, (name, text) in enumerate(zip(names, arguments, strict=True)):
        events += [ToolCall(0, index, f"c{index}", name), Arguments(0, index, text)]
    output = whole([*events, Finished(0, "tool_calls")])["output"]
    done = {"status": "completed"}
    find = {"call_id": "c0", "name": "find", "namespace": "crm", "arguments": '{"x":1}'}
    patch = {"call_id": "c1", "name": "apply_patch", "input": "x\n"}
    search = {"call_id": "c2", "execution": "client", "arguments": {"query": "q"}}
    assert [{name: item[name] for name in item if name != "id"} for item in output] == [
        {"type": "function_call", **done, **find},
        {"type": "custom_tool_call", **done, **patch},
        {"type": "tool_search_call", **done, **search},
        {"type": "function_call", **done, "call_id": "c3", "name": "unknown", "arguments": "{}"},
    ]


@pytest.mark.parametrize(
    ("reason", "status", "details"),
    [
        ("stop", "completed", None),
        ("tool_calls", "completed", None),
        ("length", "incomplete", {"reason": "max_output_tokens"}),
        ("content_filter", "incomplete", {"reason": "content_filter"}),
    ],
)
def test_the_end(reason: FinishReason, status: str, details: Json | None) -> None:
    events: list[Event] = [
        STARTED,
        Text(0, "a"),
        Thinking(0, "b"),
        Text(0, "c"),
        Finished(0, reason),
    ]
    found = written(events)
    response = found[-1]["response"]
    assert kinds(found)[-1] == response["status"] == status
    assert response["incomplete_details"] == details
    assert [item.get("status") for item in response["output"]] == ["completed", None, status]


def test_a_call_without_arguments_has_none_unless_it_was_cut_off() -> None:
    events: list[Event] = [STARTED, ToolCall(0, 0, "c", "read")]
    assert whole([*events, Finished(0, "tool_calls")])["output"][0]["arguments"] == "{}"
    assert whole([*events, Finished(0, "length")])["output"][0]["arguments"] == ""


def test_a_response_tells_what_was_asked_and_that_it_is_not_stored() -> None:
    body = {"instructions": "be kind", "temperature": 0.5, "metadata": {"a": "b"}, "store": True}
    text = {"verbosity": "low"}
    response = whole([STARTED, STOP, Usage(9, 4, 6, 1)], **body, text=text)
    assert (response["id"], response["created_at"]) == ("resp_chatcmpl-1", 7)
    assert (response["model"], response["tools"]) == ("gpt", TOOLS)
    assert response["instructions"] == "be kind"
    assert (response["temperature"], response["top_p"]) == (0.5, 1.0)
    assert response["text"] == {"format": {"type": "text"}, "verbosity": "low"}
    assert (response["store"], response["metadata"]) == (False, {"a": "b"})
    assert response["usage"] == {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 0},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 13,
    }


def test_an_answer_without_an_id_gets_one() -> None:
    assert len(whole([Started("", "", 0), STOP])["id"]) > len("resp_")


def test_a_failure_ends_the_stream_and_leaves_open_what_is_not_done() -> None:
    failure = Failure(429, "slow down", "rate_limit_error", None)
    found = written([STARTED, Thinking(0, "hm"), Text(0, "par"), failure])
    error, failed = found[-2:]
    assert error["error"]["message"] == "slow down"
    assert (error["type"], failed["type"]) == ("error", "response.failed")
    response = failed["response"]
    assert (response["status"], response["error"]["code"]) == ("failed", "rate_limit_exceeded")
    assert [item["type"] for item in response["output"]] == ["reasoning"]
    assert [event["sequence_number"] for event in found] == [*range(len(found))]


def test_another_choice_is_none_of_this_answer() -> None:
    events: list[Event] = [STARTED, Text(0, "a"), Text(1, "b"), STOP, Finished(1, "length")]
    response = whole(events)
    assert response["status"] == "completed"
    assert len(response["output"]) == 1
