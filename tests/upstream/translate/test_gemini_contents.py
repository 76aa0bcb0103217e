from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.gemini_contents import messages
from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.wire.gemini_members import members

PNG: Json = {"inlineData": {"mimeType": "image/png", "data": "AA-_"}}
PNG_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA+/"}}


def said(*contents: Any, **body: Any) -> list[Json]:
    return messages(members({"contents": list(contents), **body}))


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": list(parts)}


def call(name: str, args: Any = None, **more: Any) -> Json:
    return {"functionCall": {"name": name, "args": args or {}, **more}}


def answer(name: str, response: Any, **more: Any) -> Json:
    return {"functionResponse": {"name": name, "response": response, **more}}


@pytest.mark.parametrize("name", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize(
    "instruction", ["be kind", {"parts": {"text": "be kind"}}, {"parts": [{"text": "be kind"}]}]
)
def test_a_system_prompt(name: str, instruction: Any) -> None:
    found = said({"parts": [{"text": "hi"}]}, **{name: instruction})
    assert found == [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "hi"},
    ]


def test_a_conversation_with_tools() -> None:
    found = said(
        user({"text": "hi"}, {"text": "you"}),
        model(
            {"text": "hm", "thought": True},
            {"text": "a"},
            {**call("read", {"é": 1}, id="c1"), "thoughtSignature": "U0lH"},
        ),
        user(answer("read", {"output": "three lines"}, id="c1")),
    )
    function = {"name": "read", "arguments": '{"é":1}'}
    assert found == [
        {"role": "user", "content": "hi\nyou"},
        {
            "role": "assistant",
            "content": "a",
            "reasoning_content": "hm",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "three lines"},
    ]


def test_without_ids_calls_and_responses_meet_by_name_and_order() -> None:
    turn = model(call("f"), call("g"), call("f"))
    answers = user(*(answer(name, {"output": name + n}) for name, n in ("g1", "f1", "f2")))
    found = said(turn, answers, model(call("f")), {**answers, "role": "function"})
    ids = [call["id"] for call in found[0]["tool_calls"]]
    assert len({*ids}) == 3
    assert [(tool["tool_call_id"], tool["content"]) for tool in found[1:4]] == [
        (ids[1], "g1"),
        (ids[0], "f1"),
        (ids[2], "f2"),
    ]
    assert found[6]["tool_call_id"] == found[4]["tool_calls"][0]["id"] not in ids


@pytest.mark.parametrize(
    ("response", "content"),
    [
        ({"output": "x"}, "x"),
        ({"name": "f", "content": "x"}, "x"),
        ({"result": {"a": 1}}, '{"a":1}'),
        ({"error": "gone"}, "Error: gone"),
        ({"output": "x", "exitCode": 1}, '{"output":"x","exitCode":1}'),
        ({"a": "é"}, '{"a":"é"}'),
        ({}, "{}"),
    ],
)
def test_what_a_response_says(response: Json, content: str) -> None:
    assert said(model(call("f")), user(answer("f", response)))[1]["content"] == content


def test_images_of_a_response_follow() -> None:
    *_, tool, files = said(
        model(call("f", id="c")), user(answer("f", {"output": "see"}, parts=[PNG]), {"text": "?"})
    )
    assert tool == {"role": "tool", "tool_call_id": "c", "content": "see"}
    assert files["content"][1:] == [PNG_PART, {"type": "text", "text": "?"}]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (PNG, PNG_PART),
        ({"inline_data": {"mime_type": "image/png", "data": "AA-_"}}, PNG_PART),
        (
            {"fileData": {"fileUri": "https://x/a.png", "mimeType": "image/png"}},
            {"type": "image_url", "image_url": {"url": "https://x/a.png"}},
        ),
        (
            {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        ),
        (
            {"inlineData": {"mimeType": "application/pdf", "data": "AA", "displayName": "a.pdf"}},
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"},
            },
        ),
    ],
)
def test_media(part: Json, expected: Json) -> None:
    assert said(user({"text": "see"}, part))[0]["content"][1] == expected


def test_texts_in_other_parts() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1+1"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}
    text = {"inlineData": {"mimeType": "text/plain", "data": "w6k="}}
    assert said(model(code, result), user(text, {}, {"text": ""})) == [
        {"role": "assistant", "content": "```python\n1+1\n```\n```\n2\n```"},
        {"role": "user", "content": "é"},
    ]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ({"role": "alien", "parts": []}, "contents[0].role"),
        (7, "contents[0]"),
        ({"parts": "x"}, "contents[0].parts"),
        (user({"toolCall": {}}), "contents[0].parts[0].toolCall"),
        (user({"fileData": {"fileUri": "gs://x"}}), "contents[0].parts[0].fileData.fileUri"),
        (user({"inlineData": {"mimeType": "image/png"}}), "contents[0].parts[0].inlineData.data"),
        (model(call("f", [1])), "contents[0].parts[0].functionCall.args"),
        (model({"functionCall": {}}), "contents[0].parts[0].functionCall.name"),
    ],
)
def test_what_cannot_be_said_is_refused_by_its_place(content: Any, place: str) -> None:
    with pytest.raises(Refused) as refused:
        said(content)
    assert refused.value.place == place


def test_there_has_to_be_a_content() -> None:
    with pytest.raises(Refused, match="at least one"):
        said()
