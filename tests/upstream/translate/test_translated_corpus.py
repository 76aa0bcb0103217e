"""Recorded answers of real backends, translated: what a client reads then is what the openai SDK
reads in the recording itself.

The SDKs want h11 0.16 and cannot stand beside mitmproxy 11, so the tests that need them are
collected only where both are installed.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.answer import CallPart, put_together
from mitmproxy_windsurf.upstream.translate.chat_answer import read_whole
from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS
from mitmproxy_windsurf.upstream.translate.model import Asked, Event, Failure
from recordings import RECORDINGS, Recording
from strategies import pieces
from upstream.translate.answers import read

anthropic: Any = pytest.importorskip("anthropic")
openai: Any = pytest.importorskip("openai")
httpx: Any = pytest.importorskip("httpx2")

CHAT = [recording for recording in RECORDINGS if recording.protocol == "openai_chat"]
STREAMED = [recording for recording in CHAT if recording.streamed]
BODY = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
ASKED = Asked({**BODY, "stream": True, "stream_options": {"include_usage": True}})
Texts = dict[str, str]
"""What was said by kind and choice, as "text 0"; of calls the JSON and the name."""

each = pytest.mark.parametrize("recording", CHAT, ids=[recording.name for recording in CHAT])
each_stream = pytest.mark.parametrize(
    "recording", STREAMED, ids=[recording.name for recording in STREAMED]
)


def events_of(recording: Recording) -> list[Event]:
    if recording.streamed:
        return read([recording.data])
    return read_whole(json.loads(recording.data))


def texts_of(events: Iterable[Event]) -> Texts:
    texts: Texts = defaultdict(str)
    for index, choice in put_together(events).choices.items():
        for part in choice.parts:
            if isinstance(part, CallPart):
                texts[f"call {index} {part.id}"] += f"{part.name} {part.arguments}"
            else:
                kind = type(part).__name__.removesuffix("Part").lower()
                texts[f"{kind} {index}"] += part.text
    return dict(texts)


def transport(data: bytes, content_type: str) -> Any:
    answer = httpx.Response(200, headers={"content-type": content_type}, content=data)
    return httpx.Client(transport=httpx.MockTransport(lambda request: answer))


def read_by_openai(data: bytes, *, streamed: bool) -> Texts:
    """What the SDK reads, up to an error if there is one."""
    content_type = "text/event-stream" if streamed else "application/json"
    with transport(data, content_type) as link:
        client = openai.OpenAI(api_key="x", base_url="http://x/v1", max_retries=0, http_client=link)
        texts: Texts = defaultdict(str)
        ids: dict[int, str] = {}
        with suppress(openai.APIError):
            answer = client.chat.completions.create(model="m", messages=[], stream=streamed)
            for chunk in answer if streamed else [answer]:
                for choice in chunk.choices or ():
                    note(choice.index, choice.delta if streamed else choice.message, texts, ids)
    return {name: text for name, text in texts.items() if text}


def note(index: int, message: Any, texts: Texts, ids: dict[int, str]) -> None:
    """Add what a delta or a message says; `ids` are those of the calls that have begun."""
    if message is None:
        return
    said = message.model_dump(warnings=False)
    content: Any = said.get("content") or ""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for part in parts:
        if part["type"] == "text":
            texts[f"text {index}"] += part["text"]
        if part["type"] == "thinking":
            texts[f"thinking {index}"] += "".join(piece["text"] for piece in part["thinking"])
    details = [
        detail.get("text") or detail.get("summary") or ""
        for detail in said.get("reasoning_details") or ()
    ]
    reasoning = said.get("reasoning_content") or said.get("reasoning") or "".join(details)
    texts[f"thinking {index}"] += reasoning
    texts[f"refusal {index}"] += said.get("refusal") or ""
    for position, call in enumerate(said.get("tool_calls") or ()):
        function = call["function"]
        number = call.get("index", position)
        if function.get("name"):  # once for each call; a number may be given to several
            ids[number] = call["id"]
            texts[f"call {index} {call['id']}"] = f"{function['name']} "
        texts[f"call {index} {ids[number]}"] += function.get("arguments") or ""


@each
def test_no_text_is_lost_between_the_backend_and_the_events(recording: Recording) -> None:
    data = recording.data.removeprefix(BOM_UTF8)  # which the SDK cannot read
    expected = read_by_openai(data, streamed=recording.streamed)
    assert texts_of(events_of(recording)) == expected


@each_stream
def test_a_chat_client_reads_the_same(recording: Recording) -> None:
    events = events_of(recording)
    writer = DIALECTS["openai_chat"].writer(ASKED, DIALECTS["openai_chat"].request(ASKED))
    stream = b"".join(map(writer.feed, events)) + writer.end()
    assert read_by_openai(stream, streamed=True) == texts_of(events)


@each
def test_an_anthropic_client_reads_the_same(recording: Recording) -> None:
    events = events_of(recording)
    dialect = DIALECTS["anthropic"]
    chat = dialect.request(ASKED)
    writer = dialect.writer(ASKED, chat)
    stream = b"".join(map(writer.feed, events))
    expected = texts_of(events)
    if isinstance(events[-1], Failure):
        with pytest.raises(anthropic.APIError):
            read_by_anthropic(stream)
        return
    message = read_by_anthropic(stream + writer.end())
    assert anthropic_texts(message) == first_choice(expected)
    whole = anthropic.types.Message.model_validate(dialect.whole(ASKED, chat, events))
    assert anthropic_texts(whole) == first_choice(expected)
    assert (message.stop_reason, message.usage) == (whole.stop_reason, whole.usage)


def read_by_anthropic(data: bytes) -> Any:
    with transport(data, "text/event-stream") as link:
        client = anthropic.Anthropic(
            api_key="x", base_url="http://x", max_retries=0, http_client=link
        )
        with client.messages.stream(**BODY) as stream:
            return stream.get_final_message()


def first_choice(texts: Texts) -> list[Any]:
    """Text with refusals, thinking, names and inputs: what an Anthropic client has of an answer."""
    calls = [text.split(" ", 1) for name, text in texts.items() if name.startswith("call 0 ")]
    text = texts.get("text 0", "") + texts.get("refusal 0", "")
    return [text, texts.get("thinking 0", ""), [(name, parsed(text)) for name, text in calls]]


def parsed(arguments: str) -> Any:
    """The input of a tool; of one that was cut off nobody says what it is."""
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return ANY


def anthropic_texts(message: Any) -> list[Any]:
    said = {"text": "", "thinking": ""}
    calls = []
    for block in message.content:
        if block.type == "tool_use":
            calls.append((block.name, block.input))
        else:
            said[block.type] += getattr(block, block.type)
    return [said["text"], said["thinking"], calls]


@given(st.data())
def test_chunk_invariance(data: st.DataObject) -> None:
    recording = data.draw(st.sampled_from(STREAMED))
    assert read(data.draw(pieces(recording.data))) == read([recording.data])
