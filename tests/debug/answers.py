"""One answer in the words of every protocol, whole and streamed.

What is said is a list of steps: ("thinking" | "text", text) and ("call", name, arguments), in that
order, since some protocols keep no other.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from strategies import every

Step = tuple[Any, ...]
MODEL = "some-model"
USAGE = {"input_tokens": 3, "output_tokens": 5}
CHAT_USAGE = {"prompt_tokens": 3, "completion_tokens": 5}


class Forms(NamedTuple):
    """The two bodies of an answer."""

    whole: Callable[[Sequence[Step]], bytes]
    streamed: Callable[[Sequence[Step], int], bytes]
    """The second argument is how many characters a delta has."""


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _events(documents: Sequence[Any], *, named: bool = False, end: bytes = b"") -> bytes:
    names = (b"event: %s\n" % document["type"].encode() if named else b"" for document in documents)
    parts = zip(names, map(_json, documents), strict=True)
    return b"".join(name + b"data: " + data + b"\n\n" for name, data in parts) + end


def _anthropic_blocks(steps: Sequence[Step]) -> list[Any]:
    return [
        {"type": "tool_use", "id": f"t{index}", "name": step[1], "input": step[2]}
        if step[0] == "call"
        else {"type": step[0], step[0]: step[1]}
        for index, step in enumerate(steps)
    ]


def _anthropic(steps: Sequence[Step]) -> bytes:
    content = _anthropic_blocks(steps)
    message = {"type": "message", "role": "assistant", "model": MODEL, "content": content}
    return _json(message | {"stop_reason": "end_turn", "usage": USAGE})


def _anthropic_stream(steps: Sequence[Step], size: int) -> bytes:
    message = {"role": "assistant", "model": MODEL, "content": [], "usage": {"input_tokens": 3}}
    found: list[Any] = [{"type": "message_start", "message": message}, {"type": "ping"}]
    for index, (step, block) in enumerate(zip(steps, _anthropic_blocks(steps), strict=True)):
        if step[0] == "call":
            text, field, kind = json.dumps(step[2]), "partial_json", "input_json_delta"
            opened = block | {"input": {}}
        else:
            text, field, kind = step[1], step[0], f"{step[0]}_delta"
            opened = block | {step[0]: ""}
        found.append({"type": "content_block_start", "index": index, "content_block": opened})
        found += (
            {"type": "content_block_delta", "index": index, "delta": {"type": kind, field: piece}}
            for piece in every(text, size)
        )
        found.append({"type": "content_block_stop", "index": index})
    end = {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}
    found += [{"type": "message_delta", **end}, {"type": "message_stop"}]
    return _events(found, named=True)


def _chat(steps: Sequence[Step]) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "tool_calls": []}
    for index, step in enumerate(steps):
        if step[0] == "call":
            function = {"name": step[1], "arguments": json.dumps(step[2])}
            call = {"id": f"t{index}", "type": "function", "function": function}
            message["tool_calls"].append(call)
        else:
            message["content" if step[0] == "text" else "reasoning_content"] = step[1]
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return _json({"model": MODEL, "choices": [choice], "usage": CHAT_USAGE})


def _chat_stream(steps: Sequence[Step], size: int) -> bytes:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    calls = 0
    for index, step in enumerate(steps):
        if step[0] == "call":
            head = {"index": calls, "id": f"t{index}", "function": {"name": step[1]}}
            deltas.append({"tool_calls": [head]})
            for piece in every(json.dumps(step[2]), size):
                deltas.append({"tool_calls": [{"index": calls, "function": {"arguments": piece}}]})
            calls += 1
        else:
            name = "content" if step[0] == "text" else "reasoning_content"
            deltas += ({name: piece} for piece in every(step[1], size))
    chunks = [{"model": MODEL, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return _events([*chunks, {"choices": [], "usage": CHAT_USAGE}], end=b"data: [DONE]\n\n")


_RESPONSE = {"object": "response", "model": MODEL}


def _items(steps: Sequence[Step]) -> list[Any]:
    found: list[Any] = []
    for index, step in enumerate(steps):
        if step[0] == "call":
            call = {"name": step[1], "arguments": json.dumps(step[2])}
            found.append({"type": "function_call", "call_id": f"t{index}", **call})
        elif step[0] == "thinking":
            part = {"type": "summary_text", "text": step[1]}
            found.append({"type": "reasoning", "summary": [part]})
        else:
            part = {"type": "output_text", "text": step[1], "annotations": []}
            found.append({"type": "message", "role": "assistant", "content": [part]})
    return found


def _responses(steps: Sequence[Step]) -> bytes:
    return _json({**_RESPONSE, "status": "completed", "output": _items(steps), "usage": USAGE})


def _responses_stream(steps: Sequence[Step], size: int) -> bytes:
    """As the Codex backend does it: nothing but deltas says what was said."""
    started = {**_RESPONSE, "status": "in_progress", "output": []}
    found: list[Any] = [{"type": "response.created", "response": started}]
    for index, (step, item) in enumerate(zip(steps, _items(steps), strict=True)):
        text, kind = step[1], "response.output_text"
        emptied: dict[str, Any] = {"content": []}
        if step[0] == "call":
            text, kind = json.dumps(step[2]), "response.function_call_arguments"
            emptied = {"arguments": ""}
        elif step[0] == "thinking":
            kind, emptied = "response.reasoning_summary_text", {"summary": []}
        event = {"output_index": index, "item": item | emptied}
        found.append({"type": "response.output_item.added", **event})
        found += (
            {"type": f"{kind}.delta", "output_index": index, "delta": piece}
            for piece in every(text, size)
        )
    ended = {**_RESPONSE, "status": "completed", "output": [], "usage": USAGE}
    return _events([*found, {"type": "response.completed", "response": ended}], named=True)


def _gemini_parts(steps: Sequence[Step], size: int) -> list[list[Any]]:
    found: list[list[Any]] = []
    for step in steps:
        if step[0] == "call":
            found.append([{"functionCall": {"name": step[1], "args": step[2]}}])
        else:
            mark = {"thought": True} if step[0] == "thinking" else {}
            found.append([{"text": piece, **mark} for piece in every(step[1], size)])
    return found


def _gemini_document(parts: list[Any], **members: Any) -> Any:
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, **members}],
        "modelVersion": MODEL,
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5},
    }


def _gemini(steps: Sequence[Step]) -> bytes:
    parts = [part for parts in _gemini_parts(steps, 1_000_000) for part in parts]
    return _json(_gemini_document(parts, finishReason="STOP"))


def _gemini_stream(steps: Sequence[Step], size: int) -> bytes:
    documents = [_gemini_document([part]) for parts in _gemini_parts(steps, size) for part in parts]
    return _events([*documents, _gemini_document([], finishReason="STOP")])


def _gemini_array(steps: Sequence[Step], size: int) -> bytes:
    stream = _gemini_stream(steps, size).removesuffix(b"\n\n").split(b"\n\n")
    return b"[" + b"\n,\r\n".join(event.removeprefix(b"data: ") for event in stream) + b"\n]\n"


def _ollama_message(steps: Sequence[Step]) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": []}
    for step in steps:
        if step[0] == "call":
            message["tool_calls"].append({"function": {"name": step[1], "arguments": step[2]}})
        else:
            message["content" if step[0] == "text" else "thinking"] = step[1]
    return message


_OLLAMA_END = {"done": True, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 5}


def _ollama(steps: Sequence[Step]) -> bytes:
    return _json({"model": MODEL, "message": _ollama_message(steps), **_OLLAMA_END})


def _ollama_stream(steps: Sequence[Step], size: int) -> bytes:
    messages: list[Any] = []
    for step in steps:
        pieces = [step] if step[0] == "call" else [(step[0], p) for p in every(step[1], size)]
        messages += (_ollama_message([piece]) for piece in pieces)
    lines = [{"model": MODEL, "message": message, "done": False} for message in messages]
    lines.append({"model": MODEL, "message": _ollama_message([]), **_OLLAMA_END})
    return b"".join(_json(line) + b"\n" for line in lines)


def _completion(steps: Sequence[Step]) -> bytes:
    text = "".join(step[1] for step in steps if step[0] == "text")
    choice = {"index": 0, "text": text, "finish_reason": "stop"}
    return _json({"model": MODEL, "choices": [choice], "usage": CHAT_USAGE})


def _completion_stream(steps: Sequence[Step], size: int) -> bytes:
    text = "".join(step[1] for step in steps if step[0] == "text")
    chunks = [{"model": MODEL, "choices": [{"index": 0, "text": p}]} for p in every(text, size)]
    end = {"index": 0, "text": "", "finish_reason": "stop"}
    chunks.append({"model": MODEL, "choices": [end]})
    return _events([*chunks, {"choices": [], "usage": CHAT_USAGE}], end=b"data: [DONE]\n\n")


FORMS: dict[str, list[Forms]] = {
    "anthropic": [Forms(_anthropic, _anthropic_stream)],
    "gemini": [Forms(_gemini, _gemini_stream), Forms(_gemini, _gemini_array)],
    "ollama": [Forms(_ollama, _ollama_stream)],
    "openai_chat": [Forms(_chat, _chat_stream)],
    "openai_completions": [Forms(_completion, _completion_stream)],
    "openai_responses": [Forms(_responses, _responses_stream)],
}
