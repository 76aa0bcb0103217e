"""What Ollama says, in `/api/chat` and `/api/generate`."""

import json
from typing import Any

from mitmproxy_windsurf.debug.conversation import read_answer, read_request
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation, Message, Tool


def answer(*lines: Any) -> Conversation:
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return read_answer("ollama", body).conversation


def request(**body: Any) -> Conversation:
    return read_request("ollama", json.dumps(body).encode()).conversation


def test_a_chat() -> None:
    call = {"function": {"name": "read", "arguments": {"p": 1}}}
    found = request(
        model="m",
        think=True,
        tools=[{"type": "function", "function": {"name": "read", "description": "Read it."}}],
        messages=[
            {"role": "System", "content": "Be brief."},
            {"role": "user", "content": "see", "images": ["AAAA"]},
            {"role": "assistant", "thinking": "So.", "tool_calls": [call]},
            {"role": "tool", "tool_name": "read", "content": "ok"},
        ],
    )
    assert found.parameters == {"think": True}
    assert found.tools == [Tool("read", "Read it.")]
    assert found.messages == [
        Message("system", (Block("text", "Be brief."),)),
        Message("user", (Block("text", "see"), Block("other", name="images", data=["AAAA"]))),
        Message("assistant", (Block("thinking", "So."), Block("call", name="read", data={"p": 1}))),
        Message("tool", (Block("result", "ok", name="read"),)),
    ]


def test_a_text_to_go_on_with() -> None:
    found = request(model="m", system="Be brief.", prompt="Once", suffix="ever after.")
    assert [(message.role, message.blocks[0].text) for message in found.messages] == [
        ("system", "Be brief."),
        ("prompt", "Once"),
        ("suffix", "ever after."),
    ]
    lines = ({"response": "upon "}, {"response": "a time", "done": True, "done_reason": "stop"})
    [message] = answer(*lines).messages
    assert message == Message("assistant", (Block("text", "upon a time"),), "stop")


def test_an_error_in_mid_stream() -> None:
    found = answer({"message": {"content": "Hel"}}, {"error": "out of memory"})
    assert found.messages[0].blocks == (Block("text", "Hel"),)
    assert found.errors == ["out of memory"]
