from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.answer import CallPart, ThinkingPart, put_together
from mitmproxy_windsurf.upstream.translate.gemini import GeminiDialect
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Asked,
    Event,
    Failure,
    Finished,
    FinishReason,
    Json,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from upstream.translate.event_streams import STARTED, answers

DIALECT = GeminiDialect()
PATH = "/v1beta/models/gemini:streamGenerateContent"
STOP = Finished(0, "stop")


def asked(query: str = "alt=sse", *, thoughts: bool = True) -> Asked:
    config = {"thinkingConfig": {"includeThoughts": thoughts}}
    return Asked({"contents": "hi", "generationConfig": config}, PATH, query)


def written(events: Sequence[Event], request: Asked) -> bytes:
    writer = DIALECT.writer(request, DIALECT.request(request))
    data = b"".join(map(writer.feed, events))
    return data if isinstance(events[-1], Failure) else data + writer.end()


def responses(events: Sequence[Event], request: Asked | None = None) -> list[Any]:
    """What a stream holds, however it is framed."""
    request = request or asked()
    data = written(events, request)
    if request.query != "alt=sse":
        found: list[Any] = json.loads(data)
        return found
    *frames, end = data.decode().split("\r\n\r\n")
    assert end == ""
    assert all(frame.startswith("data: ") and "\n" not in frame for frame in frames)
    return [json.loads(frame.removeprefix("data: ")) for frame in frames]


def merged(found: Sequence[Json]) -> list[Json]:
    """The parts of the first candidate, texts of one kind side by side put together."""
    parts: list[Json] = []
    for response in found:
        for candidate in response.get("candidates", ()):
            for part in candidate["content"]["parts"]:
                if parts and "text" in part and {**parts[-1], "text": ""} == {**part, "text": ""}:
                    parts[-1] = {**part, "text": parts[-1]["text"] + part["text"]}
                elif part != {"text": ""}:
                    parts.append(part)
    return parts


@given(answers(), st.sampled_from(["alt=sse", ""]), st.booleans())
def test_the_laws_of_a_stream(events: list[Event], query: str, thoughts: bool) -> None:
    request = asked(query, thoughts=thoughts)
    found = responses(events, request)
    whole = DIALECT.whole(request, DIALECT.request(request), events)
    expected = [
        {"functionCall": {"id": part.id, "name": part.name, "args": part.input}}
        if isinstance(part, CallPart)
        else {"text": part.text} | ({"thought": True} if isinstance(part, ThinkingPart) else {})
        for part in put_together(events).choice(0).parts
        if thoughts or not isinstance(part, ThinkingPart)
    ]
    assert merged(found) == merged([{"candidates": [{"content": {"parts": expected}}]}])
    assert merged([whole]) == merged(found)
    last = found[-1]
    for name in ("usageMetadata", "promptFeedback", "modelVersion", "responseId"):
        assert last.get(name) == whole.get(name)
    ends = [one.get("finishReason") for one in whole.get("candidates", ())]
    assert [one.get("finishReason") for one in last.get("candidates", ())] == ends
    assert not any("finishReason" in one for r in found[:-1] for one in r["candidates"])


def test_frames_as_they_come() -> None:
    request = asked()
    writer = DIALECT.writer(request, DIALECT.request(request))
    assert writer.feed(STARTED) == b""
    first = {"content": {"parts": [{"text": "a"}], "role": "model"}, "index": 0}
    response = {"candidates": [first], "modelVersion": "gemini", "responseId": "chatcmpl-1"}
    text = json.dumps(response, separators=(",", ":")).encode()
    assert writer.feed(Text(0, "a")) == b"data: " + text + b"\r\n\r\n"
    assert writer.feed(ToolCall(0, 0, "c", "f")) == writer.feed(Arguments(0, 0, "{}")) == b""
    assert writer.feed(Text(0, "b")).count(b"data: ") == 2
    assert writer.feed(STOP) == writer.feed(Usage(1, 1)) == b""
    assert writer.end().count(b"data: ") == 1


def test_the_array() -> None:
    data = written([STARTED, Text(0, "a"), STOP], asked(""))
    assert data.startswith(b'[{"candidates"')
    assert data.count(b"\n,\r\n") == 1
    assert data.endswith(b"}\n]\n")


@pytest.mark.parametrize(
    ("query", "content_type"),
    [("alt=sse", "text/event-stream; charset=utf-8"), ("", "application/json; charset=utf-8")],
)
def test_content_types(query: str, content_type: str) -> None:
    request = asked(query)
    assert DIALECT.writer(request, DIALECT.request(request)).content_type == content_type


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "STOP"),
        ("tool_calls", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
    ],
)
def test_finish_reasons(reason: FinishReason, finish: str) -> None:
    *_, last = responses([STARTED, Text(0, "a"), Finished(0, reason)])
    assert last["candidates"][0]["finishReason"] == finish


def test_a_prompt_that_a_filter_holds_back() -> None:
    (only,) = responses([STARTED, Finished(0, "content_filter")])
    assert only["promptFeedback"] == {"blockReason": "SAFETY"}
    assert "candidates" not in only


def test_arguments_that_are_no_object_are_not_lost() -> None:
    call: list[Event] = [ToolCall(0, 0, "c", "f"), Arguments(0, 0, '{"x": ')]
    (part,) = merged(responses([STARTED, *call, Finished(0, "length")]))
    assert part["functionCall"]["args"] == {"INVALID_JSON": '{"x": '}


def test_usage() -> None:
    *_, last = responses([STARTED, Text(0, "a"), STOP, Usage(9, 4, 6, 1)])
    assert last["usageMetadata"] == {
        "promptTokenCount": 9,
        "candidatesTokenCount": 3,
        "totalTokenCount": 13,
        "cachedContentTokenCount": 6,
        "thoughtsTokenCount": 1,
    }


def test_candidates() -> None:
    events: list[Event] = [
        STARTED,
        Text(0, "a"),
        Text(1, "b"),
        Text(0, "c"),
        STOP,
        Finished(1, "length"),
    ]
    found = responses(events)
    said = [
        (one["index"], one["content"]["parts"][0]["text"]) for r in found for one in r["candidates"]
    ]
    assert said == [(0, "a"), (1, "b"), (0, "c"), (0, ""), (1, "")]
    ends = [(one["index"], one["finishReason"]) for one in found[-1]["candidates"]]
    assert ends == [(0, "STOP"), (1, "MAX_TOKENS")]
    request = asked()
    whole = DIALECT.whole(request, DIALECT.request(request), events)
    texts = [one["content"]["parts"] for one in whole["candidates"]]
    assert texts == [[{"text": "ac"}], [{"text": "b"}]]


@pytest.mark.parametrize("query", ["alt=sse", ""])
def test_a_failure_ends_the_stream(query: str) -> None:
    events: list[Event] = [STARTED, Text(0, "a"), Thinking(0, "b"), Failure(503, "overloaded")]
    *_, last = responses(events, asked(query))
    assert last == {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    assert list(last) == ["error"]


def test_code_assist_has_responses_one_level_down() -> None:
    request = Asked(
        {"model": "m", "request": {"contents": "hi"}},
        "/v1internal:streamGenerateContent",
        "alt=sse",
    )
    found = responses([STARTED, Text(0, "a"), STOP], request)
    assert [list(response) for response in found] == [["response"], ["response"]]
    assert list(DIALECT.whole(request, DIALECT.request(request), [STARTED, STOP])) == ["response"]
