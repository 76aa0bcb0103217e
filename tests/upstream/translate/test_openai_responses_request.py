from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.upstream.translate.openai_responses_request import chat_request

SCHEMA = {"type": "object", "properties": {}}


def asked(**body: Any) -> Json:
    """What a body adds to the simplest one."""
    chat = chat_request({"model": "m", "input": "hi", **body}).body
    assert chat.pop("model") == "m"
    assert chat.pop("messages")
    return chat


@pytest.mark.parametrize(
    ("body", "chat"),
    [
        ({}, {}),
        ({"max_output_tokens": 9, "temperature": 0.5, "top_p": 0.1, "user": "u"}, None),
        ({"stream": True}, {"stream": True, "stream_options": {"include_usage": True}}),
        ({"reasoning": {"effort": "medium"}}, {"reasoning_effort": "medium"}),
        ({"reasoning": {"effort": "minimal", "summary": "auto"}}, {"reasoning_effort": "low"}),
        ({"reasoning": {"effort": "xhigh"}}, {"reasoning_effort": "high"}),
        ({"reasoning": {"effort": "none"}}, {"reasoning_effort": "none"}),
        ({"reasoning": None, "text": None, "temperature": None}, {}),
        ({"text": {"verbosity": "low", "format": {"type": "text"}}}, {"verbosity": "low"}),
        (
            {"text": {"format": {"type": "json_object"}}},
            {"response_format": {"type": "json_object"}},
        ),
    ],
)
def test_members(body: Json, chat: Json | None) -> None:
    same = {"max_tokens": 9, "temperature": 0.5, "top_p": 0.1, "user": "u"}
    assert asked(**body) == (same if chat is None else chat)


def test_a_schema() -> None:
    form = {"type": "json_schema", "name": "n", "schema": SCHEMA, "strict": True}
    json_schema = {"name": "n", "schema": SCHEMA, "strict": True, "description": "d"}
    assert asked(text={"format": {**form, "description": "d"}}) == {
        "response_format": {"type": "json_schema", "json_schema": json_schema}
    }


@pytest.mark.parametrize(
    "body",
    [
        {"previous_response_id": "resp_1"},
        {"conversation": "conv_1"},
        {"prompt": {"id": "p"}},
        {"background": True},
        {"text": {"format": {"type": "grammar"}}},
        {"text": "x"},
        {"reasoning": "high"},
        {"model": None},
        {"tools": {}},
    ],
)
def test_what_cannot_be_done_is_refused_by_its_place(body: Json) -> None:
    (name,) = body
    with pytest.raises(Refused) as refused:
        chat_request({"model": "m", "input": "hi", **body})
    assert refused.value.place.startswith(name)
    assert refused.value.status == 400


def test_what_does_not_change_the_answer_is_left_out() -> None:
    body = {"truncation": "auto", "top_logprobs": 3, "max_tool_calls": 1, "background": False}
    needless = {"store": True, "include": [], "metadata": {}, "prompt_cache_key": "k"}
    chat = chat_request({"model": "m", "input": "hi", **body, **needless})
    assert chat.ignored == ("truncation", "top_logprobs", "max_tool_calls")
    assert chat.body.keys() == {"model", "messages"}


def test_backends_may_refuse_some_members() -> None:
    assert {"verbosity", "reasoning_effort"} <= {*chat_request({"model": "m", "input": "x"}).wishes}
