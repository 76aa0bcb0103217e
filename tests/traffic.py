"""Whole answers for tests, told as events and rendered in a protocol, and read back again.

An event is a dict with one of `text`, `reasoning`, `tool_args_delta` (a piece of JSON), `tool_call`
(a whole one), `tool_result` (of a tool that the server ran), `error` (the last one), `end` (cut
off there: no finish, no terminator). Equal kinds in a row are deltas of one text. `index` is the
choice.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from responses_turn import FORMS, Turn

Event = dict[str, Any]
MODEL = "claude-opus-4-6"
PROTOCOLS = ("anthropic", "gemini", "openai_chat", "openai_responses")
PRIVATE = "/tmp/windsurf-workspace"
CALL = {"name": "Read", "arguments": "{}"}

each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


class Said(NamedTuple):
    """A piece of text that the client gets; `key` is its block, choice or call."""

    channel: str
    text: str
    key: int = 0


def _sse(document: dict[str, Any], event: str = "") -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(document, ensure_ascii=False)}\n\n".encode()


def render(protocol: str, events: Sequence[Event]) -> list[bytes]:
    """The frames of a streamed answer."""
    return _RENDERERS[protocol](events)


_BLOCKS: dict[str, tuple[dict[str, Any], str, str]] = {
    "text": ({"type": "text", "text": ""}, "text_delta", "text"),
    "reasoning": ({"type": "thinking", "thinking": ""}, "thinking_delta", "thinking"),
    "tool_args_delta": (
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}},
        "input_json_delta",
        "partial_json",
    ),
}


def _anthropic(events: Sequence[Event]) -> list[bytes]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    frames = [_sse({"type": "message_start", "message": message}, "message_start")]
    index, open_kind = -1, ""

    def block(kind: str, content: dict[str, Any]) -> None:
        nonlocal index, open_kind
        stop()
        index, open_kind = index + 1, kind
        start = {"type": "content_block_start", "index": index, "content_block": content}
        frames.append(_sse(start, "content_block_start"))

    def stop() -> None:
        nonlocal open_kind
        if open_kind:
            document = {"type": "content_block_stop", "index": index}
            frames.append(_sse(document, "content_block_stop"))
        open_kind = ""

    for kind, value in (next(iter(event.items())) for event in events):
        if kind == "end":
            return frames
        if kind == "error":
            error = {"type": "error", "error": {"type": "api_error", "message": value}}
            return [*frames, _sse(error, "error")]
        if kind == "tool_result":
            source = {"type": "text", "media_type": "text/plain", "data": value}
            page = {"type": "web_fetch_result", "url": "https://example.org", "content": {}}
            page["content"] = {"type": "document", "source": source}
            block(kind, {"type": "web_fetch_tool_result", "tool_use_id": "s1", "content": page})
            continue
        if kind == "tool_call":
            open_kind, kind, value = open_kind and "other", "tool_args_delta", value["arguments"]
        content, delta_type, field = _BLOCKS[kind]
        if kind != open_kind:
            block(kind, content)
        delta = {"type": delta_type, field: value}
        document = {"type": "content_block_delta", "index": index, "delta": delta}
        frames.append(_sse(document, "content_block_delta"))
    stop()
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}
    return [*frames, _sse(end, "message_delta"), _sse({"type": "message_stop"}, "message_stop")]


def _chat(events: Sequence[Event]) -> list[bytes]:
    def chunk(delta: dict[str, Any], choice: int = 0, finish: str | None = None) -> bytes:
        choices = [{"index": choice, "delta": delta, "finish_reason": finish}]
        return _sse(base | {"choices": choices})

    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    frames = [chunk({"role": "assistant", "content": ""})]
    for event in events:
        choice = event.get("index", 0)
        kind, value = next(iter(event.items()))
        if kind == "end":
            return frames
        if kind == "error":
            return [*frames, _sse({"error": {"message": value, "type": "server_error"}})]
        if kind in ("tool_args_delta", "tool_call"):
            arguments = value if kind == "tool_args_delta" else value["arguments"]
            call = {"index": 0, "id": "call_1", "type": "function"}
            call["function"] = {"name": "Read", "arguments": arguments}
            frames.append(chunk({"tool_calls": [call]}, choice))
        else:
            field = {"text": "content", "reasoning": "reasoning_content"}[kind]
            frames.append(chunk({field: value}, choice))
    choices = sorted({event.get("index", 0) for event in events})
    frames += [chunk({}, choice, "stop") for choice in choices]
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return [*frames, _sse(base | {"choices": [], "usage": usage}), b"data: [DONE]\n\n"]


def _gemini(events: Sequence[Event]) -> list[bytes]:
    """Calls are whole here: those that come in pieces are put together."""

    def element(part: dict[str, Any], choice: int = 0, finish: str | None = None) -> bytes:
        candidate = {"content": {"parts": [part], "role": "model"}, "index": choice}
        document = {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}
        return _sse(document | {"modelVersion": MODEL, "responseId": "r1"})

    frames: list[bytes] = []
    pieces = ""
    for position, event in enumerate(events):
        choice = event.get("index", 0)
        kind, value = next(iter(event.items()))
        following = events[position + 1 :]
        if kind == "end":
            return frames
        if kind == "error":
            return [*frames, _sse({"error": {"code": 503, "message": value}})]
        if kind == "tool_args_delta":
            pieces += value
            if following and kind in following[0]:
                continue
            kind, value, pieces = "tool_call", {"arguments": pieces}, ""
        if kind == "tool_call":
            call = {"name": "Read", "args": json.loads(value["arguments"])}
            frames.append(element({"functionCall": call}, choice))
        elif kind == "tool_result":
            result = {"outcome": "OUTCOME_OK", "output": value}
            frames.append(element({"codeExecutionResult": result}, choice))
        else:
            part = {"text": value} | ({"thought": True} if kind == "reasoning" else {})
            frames.append(element(part, choice))
    choices = sorted({event.get("index", 0) for event in events})
    return frames + [element({"text": ""}, choice, "STOP") for choice in choices]


def _responses(events: Sequence[Event]) -> list[bytes]:
    turn, open_kind = Turn(), ""
    for kind, value in (next(iter(event.items())) for event in events):
        if kind == "end":
            return _named(turn.events)
        if kind == "error":
            return _named(turn.fail(value))
        if kind == "tool_result":
            turn.stop()
            outputs = [{"type": "logs", "logs": value}]
            turn.add({"type": "code_interpreter_call", "code": None, "outputs": outputs})
            open_kind = ""
            continue
        if kind == "tool_call":
            open_kind, kind, value = "", "tool_args_delta", value["arguments"]
        if kind != open_kind:
            turn.begin(kind)
            open_kind = kind
        turn.delta(value)
    return _named(turn.complete())


def _named(documents: Iterable[dict[str, Any]]) -> list[bytes]:
    return [_sse(document, document["type"]) for document in documents]


_RENDERERS = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai_chat": _chat,
    "openai_responses": _responses,
}


def rewrite(
    protocol: str,
    pieces: Iterable[bytes],
    *,
    layers: Layers | None = None,
    model: str | None = MODEL,
    want_thinking: bool = False,
    keep_visible: bool = False,
    broken: bool = False,
    content_type: str = "text/event-stream",
) -> bytes:
    """All that a rewriter makes of a streamed answer, which ends well or (`broken`) does not."""
    rewriter = ResponseRewriter(
        protocol,
        layers or Layers(),
        model=model,
        want_thinking=want_thinking,
        content_type=content_type,
        keep_visible=keep_visible,
    )
    out = [chunk for piece in pieces for chunk in rewriter.feed(piece)]
    out += rewriter.abort() if broken else rewriter.flush()
    assert b"" not in out
    return b"".join(out)


def rewrite_whole(
    protocol: str,
    document: dict[str, Any],
    *,
    status: int = 200,
    want_thinking: bool = False,
) -> dict[str, Any]:
    """The answer that is not streamed."""
    rewriter = ResponseRewriter(
        protocol,
        Layers(),
        model=MODEL,
        want_thinking=want_thinking,
        status=status,
        content_type="application/json",
    )
    body = json.dumps(document).encode()
    answer: dict[str, Any] = json.loads(b"".join([*rewriter.feed(body), *rewriter.flush()]))
    return answer


def documents(stream: bytes) -> list[dict[str, Any]]:
    """The JSON of every event, `[DONE]` left out."""
    found = []
    for event in re.split(r"\n\n|\r\n\r\n", stream.decode()):
        lines = [line[5:].strip() for line in event.splitlines() if line.startswith("data:")]
        if lines and lines != ["[DONE]"]:
            found.append(json.loads("\n".join(lines)))
    return found


def said(protocol: str, stream: bytes) -> list[Said]:
    """What the client is told, in order, pieces of one text in a row joined."""
    read = _READERS[protocol]
    joined: list[Said] = []
    for document in documents(stream):
        for piece in read(document):
            if joined and joined[-1][::2] == piece[::2]:
                joined[-1] = Said(piece.channel, joined[-1].text + piece.text, piece.key)
            elif piece.text:
                joined.append(piece)
    return joined


def texts(protocol: str, stream: bytes, channel: str) -> str:
    """All that the client is told on one channel."""
    return "".join(piece.text for piece in said(protocol, stream) if piece.channel == channel)


def _said_anthropic(document: dict[str, Any]) -> Iterable[Said]:
    index = document.get("index", 0)
    if document["type"] == "content_block_delta":
        for channel, (_, delta_type, field) in _BLOCKS.items():
            if document["delta"]["type"] == delta_type:
                yield Said(channel, document["delta"][field], index)
    elif document["type"] == "error":
        yield Said("error", document["error"]["message"])
    elif document["type"] == "content_block_start":
        content = document["content_block"]
        if content["type"] == "web_fetch_tool_result":
            yield Said("tool_result", content["content"]["content"]["source"]["data"], index)


def _said_chat(document: dict[str, Any]) -> Iterable[Said]:
    if "error" in document:
        yield Said("error", document["error"]["message"])
    for choice in document.get("choices", ()):
        delta, index = choice["delta"], choice["index"]
        yield Said("reasoning", delta.get("reasoning_content") or "", index)
        yield Said("text", delta.get("content") or "", index)
        for call in delta.get("tool_calls") or ():
            yield Said("tool_args_delta", call["function"]["arguments"], index)


def _said_gemini(document: dict[str, Any]) -> Iterable[Said]:
    if "error" in document:
        yield Said("error", document["error"]["message"])
    for candidate in document.get("candidates", ()):
        for part in candidate["content"]["parts"]:
            index = candidate["index"]
            if "functionCall" in part:
                yield Said("tool_args_delta", json.dumps(part["functionCall"]["args"]), index)
            elif "codeExecutionResult" in part:
                yield Said("tool_result", part["codeExecutionResult"]["output"], index)
            else:
                yield Said("reasoning" if part.get("thought") else "text", part["text"], index)


def _said_responses(document: dict[str, Any]) -> Iterable[Said]:
    """As clients that believe the deltas are told."""
    if document["type"] == "error":
        yield Said("error", document["error"]["message"])
    for channel, form in FORMS.items():
        if document["type"] == f"response.{form.events}.delta":
            yield Said(channel, document["delta"], document["output_index"])
    item = document.get("item", {})
    for output in item.get("outputs") or ():
        yield Said("tool_result", output["logs"], document["output_index"])


_READERS = {
    "anthropic": _said_anthropic,
    "gemini": _said_gemini,
    "openai_chat": _said_chat,
    "openai_responses": _said_responses,
}
