"""What Gemini says: parts, calls in pieces, blocked prompts, and the envelope of Code Assist."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.debug.conversation import read_answer, read_request
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation, Message, Tool


def answer(*documents: Any) -> Conversation:
    body = b"".join(
        b"data: " + json.dumps(document).encode() + b"\r\n\r\n" for document in documents
    )
    return read_answer("gemini", body).conversation


def candidate(*parts: Any, **members: Any) -> Any:
    return {"candidates": [{"content": {"parts": list(parts)}, **members}]}


BODY = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "tools": [
        {"functionDeclarations": [{"name": "read", "description": "Read it.\nNow."}]},
        {"googleSearch": {}},
    ],
    "contents": [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"p": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"ok": 1}}}]},
    ],
    "generationConfig": {"temperature": 0},
}


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("snake", [False, True])
def test_a_request(wrapped: bool, snake: bool) -> None:
    text = json.dumps({"model": "m", "request": BODY} if wrapped else BODY)
    if snake:
        text = text.replace("systemInstruction", "system_instruction")
        text = text.replace("functionDeclarations", "function_declarations")
    found = read_request("gemini", text.encode()).conversation
    assert found.parameters == {"generationConfig": {"temperature": 0}}
    assert found.tools == [Tool("read", "Read it."), Tool("googleSearch")]
    assert found.messages == [
        Message("system", (Block("text", "Be brief."),)),
        Message("user", (Block("text", "hello"),)),
        Message("model", (Block("call", name="read", data={"p": 1}),)),
        Message("user", (Block("result", name="read", data={"ok": 1}),)),
    ]


def test_thoughts_and_words() -> None:
    found = answer(
        candidate({"text": "So", "thought": True}),
        candidate({"text": ".", "thought": True}, {"text": "Yes"}),
        candidate({"text": "."}, {"text": "", "thoughtSignature": "AAAA"}, finishReason="STOP"),
    )
    [message] = found.messages
    assert message.blocks == (Block("thinking", "So."), Block("text", "Yes."))
    assert message.stop == "STOP"


def test_arguments_in_pieces_make_the_call_that_would_have_come_whole() -> None:
    def piece(path: str, value: str) -> Any:
        return candidate(
            {"functionCall": {"partialArgs": [{"jsonPath": path, "stringValue": value}]}}
        )

    found = answer(
        candidate({"functionCall": {"name": "cook", "willContinue": True}}),
        piece("$.steps[0]", "Heat"),
        piece("$.steps[0]", " it"),
        piece("$.steps[1]", "Eat"),
        piece("$.who['the name']", "Ada"),
        candidate({"functionCall": {}}),
        candidate({"text": "There."}),
    )
    arguments = {"steps": ["Heat it", "Eat"], "who": {"the name": "Ada"}}
    call = candidate({"functionCall": {"name": "cook", "args": arguments}})
    assert found == answer(call, candidate({"text": "There."}))


def test_a_blocked_prompt() -> None:
    assert answer({"promptFeedback": {"blockReason": "SAFETY"}}).errors == [
        "the prompt was blocked: SAFETY"
    ]


def test_an_error_comes_bare_or_in_an_array() -> None:
    error = {"error": {"code": 503, "status": "UNAVAILABLE", "message": "Later."}}
    stream = b'data: {"candidates": []}\r\n\r\n' + json.dumps(error, indent=2).encode()
    for body in (stream, json.dumps([error]).encode(), json.dumps(error).encode()):
        assert read_answer("gemini", body).conversation.errors == ["UNAVAILABLE: Later."]


def test_the_envelope_of_code_assist() -> None:
    assert answer({"response": candidate({"text": "Yes"})}) == answer(candidate({"text": "Yes"}))


def test_what_ran_on_the_server_is_shown() -> None:
    found = answer(candidate({"executableCode": {"language": "PYTHON", "code": "print(1)"}}))
    [block] = found.messages[0].blocks
    assert (block.name, block.data["code"]) == ("executableCode", "print(1)")
