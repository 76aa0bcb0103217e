"""A body as the conversation in it: the same for every protocol, streamed or whole, and for
whatever else may stand in a body."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debug.answers import FORMS, Step
from mitmproxy_windsurf.debug.conversation import READERS, Reading, read_answer, read_request
from mitmproxy_windsurf.debug.conversation.text import render
from recordings import CORPUS, OWN, Recording

DIRECTORIES = {
    "anthropic-messages": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
    "openai-chat": "openai_chat",
    "openai-completions": "openai_completions",
    "openai-responses": "openai_responses",
}
protocols = pytest.mark.parametrize("protocol", sorted(READERS))

STEPS: list[Step] = [
    ("thinking", "Where is it? Let me look."),
    ("text", "I will look:\n\n- here\n- there 🏝️\n"),
    ("call", "Read", {"path": "/src/é.py", "lines": [1, 2]}),
]
words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
values = st.dictionaries(words, words | st.integers() | st.lists(words, max_size=2), max_size=3)
KEYS = (
    "candidates choices content contents delta error function functionCall index input "
    "instructions item items message messages model name output output_index parts partialArgs "
    "prompt reasoning response role system text thinking tool_calls tools type usage"
)
keys = st.sampled_from(KEYS.split())
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | words, inner, max_size=4),
    max_leaves=12,
)


def recordings() -> list[Recording]:
    found = list(OWN)
    for directory, protocol in DIRECTORIES.items() if CORPUS else ():
        for path in sorted((Path(CORPUS) / directory).glob("*.*")):
            found.append(Recording(f"{directory}/{path.name}", protocol, path.read_bytes()))
    return found


recorded = pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)


def test_there_are_recordings() -> None:
    if not CORPUS:
        pytest.skip("not run: WINDSURF_CORPUS names no directory of recorded streams")
    assert {recording.protocol for recording in recordings()} == set(READERS)


def text(reading: Reading) -> str:
    return render(*reading)


@st.composite
def steps(draw: st.DrawFn) -> list[Step]:
    found: list[Step] = [
        (kind, draw(words)) for kind in ("thinking", "text") if draw(st.booleans())
    ]
    calls = st.lists(st.tuples(st.just("call"), words, values), max_size=2)
    return [*found, *draw(calls)]


@protocols
@given(steps(), st.integers(1, 9))
def test_streamed_and_whole_answers_are_one_conversation(
    protocol: str, said: Sequence[Step], size: int
) -> None:
    for form in FORMS[protocol]:
        whole = read_answer(protocol, form.whole(said))
        assert read_answer(protocol, form.streamed(said, size)) == whole
        assert not whole.notes


@protocols
def test_everything_that_is_said_is_shown(protocol: str) -> None:
    for form in FORMS[protocol]:
        shown = text(read_answer(protocol, form.streamed(STEPS, 3)))
        said = STEPS[1:2] if protocol == "openai_completions" else STEPS
        for step in said:
            if step[0] == "call":
                assert "calls Read" in shown
                assert "path: /src/é.py" in shown
            else:
                assert all(line in shown for line in step[1].split("\n"))
        assert "stop: " in shown
        assert ": 3\n" in shown, "the usage"


@recorded
def test_a_recorded_answer_is_understood_to_its_end(recording: Recording) -> None:
    conversation, _ = read_answer(recording.protocol, recording.data)
    assert conversation.errors or any(message.blocks for message in conversation.messages)
    assert not any(
        block.name == "unknown" for message in conversation.messages for block in message.blocks
    )


@recorded
def test_a_recorded_answer_that_is_cut_off_loses_no_more_than_the_rest(
    recording: Recording,
) -> None:
    """The text of a beginning is a beginning of the text."""
    whole = answer_text(recording.protocol, recording.data)
    for place in range(0, len(recording.data), max(1, len(recording.data) // 20)):
        beginning = answer_text(recording.protocol, recording.data[:place])
        assert whole.startswith(beginning)


def answer_text(protocol: str, body: bytes) -> str:
    """The answer's own words, of its first choice."""
    messages = read_answer(protocol, body).conversation.messages
    blocks = messages[0].blocks if messages else ()
    return "".join(block.text for block in blocks if block.kind == "text")


@protocols
@given(json_values)
def test_any_json_has_a_text(protocol: str, value: Any) -> None:
    body = json.dumps(value).encode()
    for read in (read_request, read_answer):
        assert text(read(protocol, body)).encode() is not None
        assert text(read(protocol, b"data: " + body + b"\n\n")).encode() is not None


@protocols
@given(st.data())
def test_a_damaged_stream_has_a_text(protocol: str, data: st.DataObject) -> None:
    body = bytearray(FORMS[protocol][-1].streamed(STEPS, 2))
    places = st.integers(0, len(body) - 1)
    for place in data.draw(st.lists(places, max_size=5)):
        body[place] = data.draw(st.integers(0, 255))
    start, end = sorted(data.draw(st.tuples(places, places)))
    assert isinstance(text(read_answer(protocol, bytes(body[start:end]))), str)


@protocols
def test_deeply_nested_json_has_a_text(protocol: str) -> None:
    deep = b"[" * 100_000
    shallow = b'{"messages":[{"role":"user","content":' * 200
    for body in (deep, b'{"a":' * 100_000, shallow, b"data: " + deep + b"\n\n"):
        assert isinstance(text(read_request(protocol, body)), str)
        assert isinstance(text(read_answer(protocol, body)), str)


def test_a_protocol_that_is_not_known_has_no_conversation() -> None:
    assert read_request("telegraph", b"{}").conversation.empty
    assert read_answer("telegraph", b"{}").conversation.empty
