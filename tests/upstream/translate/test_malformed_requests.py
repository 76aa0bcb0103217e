"""Whatever stands in a request, it is translated or refused, and its answer can be written."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.exchange import json_bytes
from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS
from mitmproxy_windsurf.upstream.translate.model import Asked, Event, Json, Refused
from upstream.translate.event_streams import answers

SCHEMA = {"type": "OBJECT", "properties": {"x": {"type": "ARRAY", "items": {"type": "STRING"}}}}
PICTURE = "data:image/png;base64,AAAA"
RESPONSES: Json = {
    "model": "m",
    "instructions": "be kind",
    "input": [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "x"}]},
        {"role": "user", "content": [{"type": "input_image", "image_url": PICTURE}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "text", "text": "x"}]},
        {"type": "custom_tool_call", "call_id": "d", "name": "p", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "d", "output": "x"},
        {"type": "tool_search_output", "call_id": "e", "tools": [{"type": "custom", "name": "q"}]},
    ],
    "tools": [
        {"type": "function", "name": "f", "parameters": SCHEMA},
        {"type": "custom", "name": "p", "format": {"type": "grammar", "definition": "x"}},
        {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]},
    ],
    "tool_choice": {
        "type": "allowed_tools",
        "mode": "auto",
        "tools": [{"type": "custom", "name": "p"}],
    },
    "reasoning": {"effort": "low", "summary": "auto"},
    "include": ["reasoning.encrypted_content"],
    "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}},
    "metadata": {},
    "stream": True,
}
GEMINI: Json = {
    "systemInstruction": {"parts": [{"text": "be kind"}]},
    "contents": [
        {
            "role": "user",
            "parts": [{"text": "x"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}],
        },
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"name": "f", "args": {}, "id": "c"}},
                {"executableCode": {"code": "1"}},
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "f", "response": {"output": "x"}}}],
        },
    ],
    "tools": [{"functionDeclarations": [{"name": "f", "parameters": SCHEMA}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
    "generationConfig": {
        "stopSequences": ["x"],
        "responseSchema": SCHEMA,
        "responseModalities": ["TEXT"],
        "thinkingConfig": {"thinkingBudget": 9, "includeThoughts": True},
    },
}
junk: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1.5, "", "x", [], {}, [[]], [None], ["x"], {"x": {}}]
)


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: what holds it, and its name there."""
    for name in value if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from nodes(value[name])


def survives(protocol: str, asked: Asked, events: list[Event]) -> None:
    dialect = DIALECTS[protocol]
    try:
        chat = dialect.request(asked)
    except Refused:
        return
    assert json_bytes(chat.body)
    writer = dialect.writer(asked, chat)
    assert b"".join(map(writer.feed, events)) + writer.end()
    assert dialect.whole(asked, chat, events)


def spoiled(data: st.DataObject, body: Json) -> Json:
    body = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, name = data.draw(st.sampled_from([*nodes(body)]))
        holder[name] = data.draw(junk)
    return body


@given(st.data())
def test_of_responses(data: st.DataObject) -> None:
    body = spoiled(data, RESPONSES)
    survives("openai_responses", Asked(body, "/v1/responses"), data.draw(answers()))


@given(st.data())
def test_of_gemini(data: st.DataObject) -> None:
    body = spoiled(data, GEMINI)
    path = "/v1beta/models/m:streamGenerateContent"
    survives("gemini", Asked(body, path), data.draw(answers()))
