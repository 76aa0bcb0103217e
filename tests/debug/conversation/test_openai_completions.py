"""What completions say: prompts and what follows them."""

import json

from mitmproxy_windsurf.debug.conversation import read_answer, read_request
from mitmproxy_windsurf.debug.conversation.model import Block, Message


def test_prompts() -> None:
    one = read_request("openai_completions", b'{"prompt": "Once", "n": 2}').conversation
    assert one.messages == [Message("prompt", (Block("text", "Once"),))]
    assert one.parameters == {"n": 2}
    many = read_request("openai_completions", b'{"prompt": ["a", "b"]}').conversation
    assert [message.blocks[0].text for message in many.messages] == ["a", "b"]
    tokens = read_request("openai_completions", b'{"prompt": [1, 2]}').conversation
    assert tokens.messages == [Message("prompt", (Block("other", name="tokens", data=[1, 2]),))]


def test_several_completions() -> None:
    choices = [{"index": 1, "text": "b"}, {"index": 0, "text": "a"}]
    body = json.dumps({"choices": choices}).encode()
    found = read_answer("openai_completions", body).conversation
    assert [(message.role, message.blocks[0].text) for message in found.messages] == [
        ("completion 1 of 2", "a"),
        ("completion 2 of 2", "b"),
    ]


def test_the_native_stream_of_llama_cpp() -> None:
    stream = b'data: {"content": "up"}\n\ndata: {"content": "on", "stop": true}\n\n'
    found = read_answer("openai_completions", stream).conversation
    assert found.messages == [Message("completion", (Block("text", "upon"),))]
