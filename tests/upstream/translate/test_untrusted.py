"""Nothing that a client or a backend sends makes a translation fail otherwise than by design."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.chat_answer import read_whole
from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS
from mitmproxy_windsurf.upstream.translate.failures import failure_of
from mitmproxy_windsurf.upstream.translate.model import Asked, ChatRequest, Failure, Refused
from upstream.translate.answers import frame, read

words = st.sampled_from(
    [
        *("", "a", "text", "user", "assistant", "system", "tool_result", "tool_use", "thinking"),
        *("image", "document", "base64", "content", "tool", "auto", "json_schema", "error", "stop"),
        *("enabled", "tool_addition", "tool_removal", "tool_definition", "search_result"),
    ]
)
names = st.sampled_from(
    [
        *("type", "role", "content", "text", "source", "tool", "definition", "name", "id", "input"),
        *("thinking", "title", "data", "choices", "delta", "message", "index", "tool_calls"),
        *("function", "arguments", "finish_reason", "error", "code", "usage", "prompt_tokens"),
        *("reasoning", "reasoning_details", "created", "stop_reason", "tool_use_id", "detail"),
    ]
)
members = st.sampled_from(
    [
        *("model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"),
        *("output_format", "metadata", "stop_sequences", "stream", "stream_options", "container"),
    ]
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
messages = st.lists(st.fixed_dictionaries({"role": words, "content": values}), max_size=3)
bodies = st.dictionaries(members, values) | st.fixed_dictionaries(
    {"model": st.just("m"), "messages": messages}, optional={"tools": values, "system": values}
)
choices = st.lists(
    st.dictionaries(names, values, max_size=3)
    | st.fixed_dictionaries({}, optional={"delta": values, "index": values, "message": values}),
    max_size=2,
)
documents = values | st.fixed_dictionaries({"choices": choices}, optional={"usage": values})


@given(bodies)
def test_a_request_is_translated_or_refused(body: dict[str, Any]) -> None:
    for dialect in DIALECTS.values():
        asked = Asked(body)
        with suppress(Refused):
            chat = dialect.request(asked)
            assert json.dumps(chat.body)
            assert dialect.writer(asked, chat).content_type


@given(st.lists(documents, max_size=3))
def test_an_answer_is_read_or_fails(answers: list[Any]) -> None:
    events = read(map(frame, answers))
    failed = [isinstance(event, Failure) for event in events]
    assert not any(failed[:-1])
    for dialect in DIALECTS.values():
        writer = dialect.writer(Asked({}), ChatRequest({}))
        frames = b"".join(map(writer.feed, events)) + (b"" if any(failed) else writer.end())
        assert frames


@given(documents)
def test_a_completion_is_read_or_fails(document: Any) -> None:
    assert read_whole(document)


@given(values, st.binary(max_size=20))
def test_a_failure_has_a_message(document: Any, noise: bytes) -> None:
    assert failure_of(500, json.dumps(document).encode()).message
    assert failure_of(500, noise).message
