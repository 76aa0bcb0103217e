from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.gemini_request import chat_request, wanted
from mitmproxy_windsurf.upstream.translate.model import Asked, Json, Refused

PATH = "/v1beta/models/qwen3:generateContent"
HI: Json = {"contents": [{"parts": [{"text": "hi"}]}]}
SCHEMA = {"type": "OBJECT", "properties": {"x": {"type": "STRING"}}}
JSON_SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}}
READ: Json = {"name": "read", "description": "Reads.", "parameters": SCHEMA}
WRITE: Json = {"name": "write", "parameters_json_schema": JSON_SCHEMA}


def asked(path: str = PATH, **body: Any) -> Json:
    """What a body adds to the simplest one."""
    chat = chat_request(Asked({**HI, **body}, path)).body
    assert chat.pop("messages") == [{"role": "user", "content": "hi"}]
    assert chat.pop("model") == "qwen3"
    return chat


def generation(**config: Any) -> Json:
    return asked(generationConfig=config)


def with_tools(**config: Any) -> Json:
    tools = [{"functionDeclarations": [READ, WRITE]}]
    return asked(tools=tools, toolConfig={"functionCallingConfig": config})


@pytest.mark.parametrize(
    ("config", "chat"),
    [
        (
            {"temperature": 0, "topP": 0.5, "top_k": 3, "maxOutputTokens": 9, "seed": 1},
            {"temperature": 0, "top_p": 0.5, "top_k": 3, "max_tokens": 9, "seed": 1},
        ),
        ({"stopSequences": ["x"], "candidateCount": 2}, {"stop": ["x"], "n": 2}),
        ({"candidateCount": 1, "responseModalities": ["TEXT"]}, {}),
        ({"responseMimeType": "text/plain"}, {}),
        ({"responseMimeType": "application/json"}, {"response_format": {"type": "json_object"}}),
        ({"thinkingConfig": {"thinkingLevel": "HIGH"}}, {"reasoning_effort": "high"}),
        ({"thinkingConfig": {"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED"}}, {}),
        ({"thinkingConfig": {"thinking_budget": 512}}, {"reasoning_effort": "low"}),
        ({"thinkingConfig": {"thinkingBudget": 0}}, {"reasoning_effort": "none"}),
        ({"thinkingConfig": {"thinkingBudget": -1}}, {}),
    ],
)
def test_generation(config: Json, chat: Json) -> None:
    assert generation(**config) == chat


@pytest.mark.parametrize("name", ["responseSchema", "responseJsonSchema", "response_schema"])
def test_a_schema_for_the_answer(name: str) -> None:
    chat = generation(responseMimeType="application/json", **{name: SCHEMA})
    json_schema = {"name": "answer", "schema": JSON_SCHEMA, "strict": False}
    assert chat == {"response_format": {"type": "json_schema", "json_schema": json_schema}}


def test_tools() -> None:
    assert with_tools()["tools"] == [
        {
            "type": "function",
            "function": {"name": "read", "description": "Reads.", "parameters": JSON_SCHEMA},
        },
        {"type": "function", "function": {"name": "write", "parameters": JSON_SCHEMA}},
    ]


def test_a_function_without_parameters_takes_none() -> None:
    (tool,) = asked(tools=[{"function_declarations": [{"name": "f"}]}])["tools"]
    assert tool["function"]["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({}, None),
        ({"mode": "AUTO"}, "auto"),
        ({"mode": "ANY"}, "required"),
        ({"mode": "NONE"}, "none"),
        ({"mode": "validated"}, "auto"),
        ({"mode": "MODE_UNSPECIFIED"}, None),
        ({"mode": "ANY", "allowedFunctionNames": ["read", "write"]}, "required"),
        (
            {"mode": "ANY", "allowed_function_names": ["write"]},
            {"type": "function", "function": {"name": "write"}},
        ),
    ],
)
def test_which_tool_to_call(config: Json, choice: Any) -> None:
    chat = with_tools(**config)
    names = [tool["function"]["name"] for tool in chat["tools"]]
    assert chat.get("tool_choice") == choice
    assert names == (["write"] if isinstance(choice, dict) else ["read", "write"])


def test_tools_that_clients_offer_unasked_are_left_out() -> None:
    tools: list[Json] = [{"googleSearch": {}, "codeExecution": None}]
    chat = chat_request(Asked({**HI, "tools": tools}, PATH))
    assert chat.ignored == ("tools[0].googleSearch",)
    assert "tools" not in chat.body


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"tools": [{"code_execution": {}}]}, "tools[0].code_execution"),
        ({"tools": [{"functionDeclarations": [{}]}]}, "tools[0].functionDeclarations[0].name"),
        ({"cachedContent": "cachedContents/x"}, "cachedContent"),
        (
            {"generationConfig": {"responseModalities": ["AUDIO"]}},
            "generationConfig.responseModalities",
        ),
        (
            {"generationConfig": {"responseMimeType": "text/x.enum"}},
            "generationConfig.responseMimeType",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_by_its_place(body: Json, place: str) -> None:
    with pytest.raises(Refused) as refused:
        asked(**body)
    assert refused.value.place == place


def test_a_mode_has_to_be_known() -> None:
    with pytest.raises(Refused, match="not known"):
        with_tools(mode="SOMETIMES")


def test_what_does_not_change_the_answer_is_left_out() -> None:
    body = {**HI, "safetySettings": [], "store": True, "generationConfig": {"logprobs": 3}}
    assert chat_request(Asked(body, PATH)).ignored == ("store", "generationConfig.logprobs")


def test_the_path_names_the_model_and_how_to_stream() -> None:
    stream = {"stream": True, "stream_options": {"include_usage": True}}
    assert asked("/v1beta/models/qwen3:streamGenerateContent") == stream
    assert wanted(Asked(HI, "/v1beta/models/a%2Fb:streamGenerateContent", "key=x&alt=sse")) == (
        *("a/b", True, True, False, False),
    )
    with pytest.raises(Refused):
        chat_request(Asked(HI, "/v1beta/models/:generateContent"))


def test_code_assist_has_it_all_one_level_down() -> None:
    body = {"model": "gemini", "project": "p", "request": {**HI, "session_id": "s"}}
    request = Asked(body, "/v1internal:streamGenerateContent", "alt=sse")
    chat = chat_request(request)
    assert (chat.model, chat.stream, chat.ignored) == ("gemini", True, ())
    assert wanted(request).nested


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (HI, "/v1beta/models/m:countTokens"),
        ({"generateContentRequest": {**HI, "model": "models/m"}}, "/v1beta/models/m:countTokens"),
        ({"request": {**HI, "model": "models/m"}}, "/v1internal:countTokens"),
    ],
)
def test_a_request_whose_tokens_are_counted(body: Json, path: str) -> None:
    chat = chat_request(Asked(body, path))
    assert (chat.model, len(chat.body["messages"])) == ("m", 1)
