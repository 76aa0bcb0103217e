"""Gemini: every place of a prompt, thoughts with signatures, and elements of our own."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import gemini
from mitmproxy_windsurf.wire.gemini import delta
from mitmproxy_windsurf.wire.parts import Json, Key, SignedThought
from mitmproxy_windsurf.wire.splice import Path

SYSTEM = {"role": "user", "parts": [{"text": "Be "}, {"text": "brief."}]}
DECLARATION = {
    "name": "f",
    "description": "Does.",
    "parameters": {"type": "OBJECT", "properties": {"description": {"description": "Nested."}}},
}


def prompts(body: Json) -> dict[tuple[str, Path], str]:
    return {
        (prompt.target, path): text
        for prompt in gemini.prompts(body)
        for path, text in zip(prompt.paths, prompt.texts, strict=True)
    }


@pytest.mark.parametrize("name", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize(
    "around",
    [
        (),
        ("request",),  # Code Assist
        ("generateContentRequest",),  # countTokens
        ("generate_content_request",),
        ("batch", "inputConfig", "requests", "requests", 0, "request"),
        ("batch", "input_config", "requests", "requests", 0, "request"),
    ],
)
def test_the_system_instruction_is_found_wherever_a_request_lies(name: str, around: Path) -> None:
    body: Any = {name: SYSTEM, "contents": [{"parts": [{"text": "no"}]}]}
    for step in reversed(around):
        body = [body] if step == 0 else {str(step): body}
    where = (*around, name, "parts")
    assert prompts(body) == {
        ("system", (*where, 0, "text")): "Be ",
        ("system", (*where, 1, "text")): "brief.",
    }
    assert len(list(gemini.prompts(body))) == 1, "a phrase may be cut over two parts"


@pytest.mark.parametrize("tools", ["functionDeclarations", "function_declarations"])
@pytest.mark.parametrize(
    "schema",
    ["parameters", "parametersJsonSchema", "parameters_json_schema", "response"],
)
def test_declarations_are_found_in_either_case(tools: str, schema: str) -> None:
    declaration = {"name": "f", "description": "Does.", schema: DECLARATION["parameters"]}
    where: Path = ("tools", 1, tools, 0)
    assert prompts({"tools": [{"googleSearch": {}}, {tools: [declaration]}]}) == {
        ("tools", (*where, "description")): "Does.",
        ("tools", (*where, schema, "properties", "description", "description")): "Nested.",
    }


@pytest.mark.parametrize("generation", ["generationConfig", "generation_config"])
@pytest.mark.parametrize("name", ["responseSchema", "response_json_schema"])
def test_the_schema_of_an_answer_is_described(generation: str, name: str) -> None:
    body = {generation: {"temperature": 0, name: {"any_of": [{"description": "One."}]}}}
    assert prompts(body) == {("tools", (generation, name, "any_of", 0, "description")): "One."}


@pytest.mark.parametrize(
    "body",
    [
        {"systemInstruction": None, "tools": None, "generationConfig": None, "request": None},
        {"systemInstruction": {"parts": None}, "tools": [None], "contents": [None]},
        {"systemInstruction": {"parts": [None, {"inlineData": {}}]}, "batch": [1]},
        {"tools": [{"functionDeclarations": [None, {"name": "f"}]}], "contents": "x"},
        {"contents": [{"role": "user", "parts": [{"text": "You are Claude Code."}]}]},
    ],
)
def test_nothing_to_rewrite(body: Json) -> None:
    assert prompts(body) == {}
    assert list(gemini.signed_thoughts(body)) == []


def test_a_system_instruction_that_is_a_text() -> None:
    assert prompts({"systemInstruction": "Be brief."}) == {
        ("system", ("systemInstruction",)): "Be brief."
    }


def thought(text: str, signature: str | None = None) -> Json:
    return {"text": text, "thought": True} | (
        {} if signature is None else {"thoughtSignature": signature}
    )


@pytest.mark.parametrize(
    ("parts", "places"),
    [
        ([thought("a", "s1"), {"text": "b"}, thought("c", "s2")], [0, 2]),
        ([thought("a", "s1"), thought("b", "s2")], [0, 1]),
        ([thought("a"), thought("b", "s1")], []),  # signed together
        ([thought("", "s1"), {"text": "b", "thoughtSignature": "s2"}], []),
        ([{"functionCall": {"name": "f"}, "thoughtSignature": "s1"}, thought("a")], []),
    ],
)
def test_thoughts_that_a_signature_signs(parts: list[Json], places: list[int]) -> None:
    body = {"request": {"contents": [{"role": "model", "parts": parts}]}}
    where: Path = ("request", "contents", 0, "parts")
    assert list(gemini.signed_thoughts(body)) == [
        SignedThought(parts[i]["text"], parts[i]["thoughtSignature"], (*where, i, "text"))
        for i in places
    ]


LIKE: Json = {
    "candidates": [{"content": {"parts": [{"text": "a"}], "role": "model"}, "index": 0}],
    "usageMetadata": {"totalTokenCount": 3},
    "modelVersion": "gemini-3",
    "responseId": "r1",
}
HEAD = {"modelVersion": "gemini-3", "responseId": "r1"}


def content(part: Json, **more: Any) -> Json:
    return {"content": {"parts": [part], "role": "model"}, **more}


@pytest.mark.parametrize(
    ("key", "candidate"),
    [
        (Key(0, "text"), content({"text": "x"}, index=0)),
        (Key(1, "text"), content({"text": "x"}, index=1)),
        (Key(0, "thinking", "thought"), content({"text": "x", "thought": True}, index=0)),
        (
            Key(0, "refusal", "transcript"),
            content({"audioTranscription": {"text": "x"}}, index=0),
        ),
    ],
)
def test_one_more_element(key: Key, candidate: Json) -> None:
    extra = delta(key, "x", LIKE)
    assert extra.event is None
    assert extra.document == {"candidates": [candidate], **HEAD}
    [part] = gemini.read(extra.document).parts
    assert (part.key, part.text) == (key, "x")


def test_one_more_element_of_streamed_arguments() -> None:
    like: Json = {"candidates": [{"content": {"parts": [{"functionCall": {}}]}}]}
    extra = delta(Key(0, "tool_text", "$.a[0]"), "x", like)
    piece = {"jsonPath": "$.a[0]", "stringValue": "x", "willContinue": True}
    call = {"partialArgs": [piece], "willContinue": True}
    assert extra.document == {"candidates": [content({"functionCall": call})]}
    assert gemini.read(extra.document).ended == []


def test_one_more_element_for_code_assist() -> None:
    extra = delta(Key(0, "text"), "x", {"response": LIKE, "traceId": "t1"})
    inner = {"candidates": [content({"text": "x"}, index=0)], **HEAD}
    assert extra.document == {"response": inner, "traceId": "t1"}
