"""Put a stream together again, as a client does."""

from __future__ import annotations

import json
from typing import Any

from mitmproxy_windsurf.upstream.demo.ask import Json


def events(stream: bytes) -> list[tuple[str | None, Any]]:
    """(name, data) of every event; `[DONE]` is a string."""
    found: list[tuple[str | None, Any]] = []
    assert stream.endswith(b"\n\n")
    for block in stream.decode().removesuffix("\n\n").split("\n\n"):
        *names, data = block.split("\n")
        payload = data.removeprefix("data: ")
        name = names[0].removeprefix("event: ") if names else None
        found.append((name, payload if payload == "[DONE]" else json.loads(payload)))
    return found


def anthropic_message(stream: bytes) -> Json:
    """The message that a stream amounts to."""
    message: Json = {}
    arguments = ""
    for _, event in events(stream):
        match event["type"]:
            case "message_start":
                message = event["message"]
            case "content_block_start":
                assert event["index"] == len(message["content"])
                message["content"].append(event["content_block"])
                arguments = ""
            case "content_block_delta":
                block = message["content"][event["index"]]
                kind, text = event["delta"].values()
                match kind:
                    case "text_delta":
                        block["text"] += text
                    case "thinking_delta":
                        block["thinking"] += text
                    case "signature_delta":
                        block["signature"] += text
                    case "input_json_delta":
                        arguments += text
            case "content_block_stop" if arguments:
                message["content"][event["index"]]["input"] = json.loads(arguments)
            case "message_delta":
                message |= event["delta"]
                message["usage"] |= event["usage"]
    return message


def chat_completion(stream: bytes) -> Json:
    """The completion that a stream amounts to."""
    message: Json = {"role": None, "content": None, "refusal": None}
    completion: Json = {}
    for _, data in events(stream):
        if data == "[DONE]":
            continue
        for choice in data["choices"]:
            delta = choice["delta"]
            message["role"] = delta.get("role", message["role"])
            for name in ("content", "reasoning_content"):
                if delta.get(name):
                    message[name] = (message.get(name) or "") + delta[name]
            for call in delta.get("tool_calls", ()):
                add_call(message, call)
            completion["choices"] = [{**choice, "message": message}]
            del completion["choices"][0]["delta"]
        completion |= {name: value for name, value in data.items() if name != "choices"}
    return {**completion, "object": "chat.completion"}


def add_call(message: Json, fragment: Json) -> None:
    calls = message.setdefault("tool_calls", [])
    index = fragment.pop("index")
    if index == len(calls):
        calls.append(fragment)
    else:
        assert fragment.keys() == {"function"}
        calls[index]["function"]["arguments"] += fragment["function"]["arguments"]
