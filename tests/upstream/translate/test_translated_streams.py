"""From the bytes of a backend to the bytes of a client of the Responses API or of Gemini."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.answer import CallPart, put_together
from mitmproxy_windsurf.upstream.translate.chat_answer import ChatAnswer, read_whole
from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS
from mitmproxy_windsurf.upstream.translate.model import Asked, Event, Failure, Started
from recordings import RECORDINGS, Recording
from strategies import pieces
from upstream.translate.answers import DONE, call, calls, chunk, frame, frames_of, read

BACKEND = b"".join(
    (
        chunk({"role": "assistant", "reasoning_content": "hm "}),
        chunk({"reasoning_content": "日本"}),
        chunk({"content": "é😀"}),
        calls(call(0, "a", "read", arguments='{"path":"'), call(1, "b", "apply_patch")),
        calls(call(1, arguments='{"input":"x\\n'), call(0, arguments='é"}')),
        calls(call(1, arguments='\\ud83d\\ude00"}'), reason="tool_calls"),
        frame({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}}),
        DONE,
    )
)
ASKED = {
    "openai_responses": Asked(
        {
            "model": "gpt",
            "input": "hi",
            "stream": True,
            "tools": [{"type": "custom", "name": "apply_patch"}],
            "reasoning": {"summary": "auto"},
        },
        "/v1/responses",
    ),
    "gemini": Asked(
        {
            "contents": "hi",
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
        },
        "/v1beta/models/gemini:streamGenerateContent",
        "alt=sse",
    ),
}


def told(recording: Recording) -> list[Event]:
    """What a recording tells; some backends do not even name their answer."""
    data = recording.data
    events = read([data]) if recording.streamed else read_whole(json.loads(data))
    return [
        replace(event, id=event.id or "1") if isinstance(event, Started) else event
        for event in events
    ]


TOLD = {
    recording.name: told(recording)
    for recording in RECORDINGS
    if recording.protocol == "openai_chat"
}
COMPLETE = [name for name, events in TOLD.items() if not isinstance(events[-1], Failure)]
names = pytest.mark.parametrize("name", ASKED)
each = pytest.mark.parametrize("events", [TOLD[name] for name in COMPLETE], ids=COMPLETE)


def translated(name: str, parts: list[bytes]) -> bytes:
    """What the client gets while the backend's bytes come in these pieces."""
    dialect, asked = DIALECTS[name], ASKED[name]
    writer = dialect.writer(asked, dialect.request(asked))
    answer = ChatAnswer()
    out = [writer.feed(event) for part in parts for event in answer.feed(part)]
    out += [writer.feed(event) for event in answer.flush()]
    return b"".join((*out, writer.end()))


@names
@given(data=st.data())
def test_chunk_invariance(name: str, data: st.DataObject) -> None:
    parts = data.draw(pieces(BACKEND))
    assert translated(name, parts) == translated(name, [BACKEND])


@each
def test_a_responses_client_reads_all_that_was_recorded(events: list[Event]) -> None:
    dialect, asked = DIALECTS["openai_responses"], ASKED["openai_responses"]
    writer = dialect.writer(asked, dialect.request(asked))
    stream = b"".join(map(writer.feed, events)) + writer.end()
    found = [event for _, event in frames_of(stream)]
    deltas = [event["delta"] for event in found if event["type"].endswith(".delta")]
    expected = [
        part.arguments or "{}" if isinstance(part, CallPart) else part.text
        for part in put_together(events).choice(0).parts
    ]
    assert "".join(deltas) == "".join(expected)
    assert found[-1]["response"] == dialect.whole(asked, dialect.request(asked), events)


@each
def test_a_gemini_client_reads_all_that_was_recorded(events: list[Event]) -> None:
    dialect, asked = DIALECTS["gemini"], ASKED["gemini"]
    writer = dialect.writer(asked, dialect.request(asked))
    stream = b"".join(map(writer.feed, events)) + writer.end()
    frames = [json.loads(data[6:]) for data in stream.split(b"\r\n\r\n")[:-1]]
    said: dict[int, str] = {}
    for candidate in (one for found in frames for one in found.get("candidates", ())):
        for part in candidate["content"]["parts"]:
            call = part.get("functionCall")
            text = json.dumps(call["args"]) if call else part["text"]
            said[candidate["index"]] = said.get(candidate["index"], "") + text
    expected = {
        index: "".join(
            json.dumps(part.input) if isinstance(part, CallPart) else part.text
            for part in choice.parts
        )
        for index, choice in put_together(events).choices.items()
    }
    blocked = not any(expected.values()) and "promptFeedback" in frames[-1]
    assert said == ({} if blocked else expected)
