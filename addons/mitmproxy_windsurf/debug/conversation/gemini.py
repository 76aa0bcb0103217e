"""Gemini's generateContent: https://ai.google.dev/api/generate-content

Members are spelled in camelCase or snake_case, sometimes both in one body. Clients of Code Assist
wrap everything once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from mitmproxy_windsurf.debug.conversation.members import (
    Json,
    errors,
    first,
    joined,
    mapping,
    mappings,
    number,
    other,
    parameters,
    parsed,
    speech,
    string,
    texts,
    tool,
    usage,
)
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation, Message
from mitmproxy_windsurf.debug.outline import DEEPEST

_SHOWN = ("model", "contents", "tools", "systemInstruction", "system_instruction", "request")
_STEP = re.compile(r"([^.\[\]]+)(?=[.\[]|\Z)|\[(\d{1,6})\]|\['([^']*)'\]")
_LEAVES = ("stringValue", "numberValue", "boolValue", "nullValue")


def request(body: Json) -> Conversation:
    found = Conversation(string(body.get("model")), parameters(body, _SHOWN))
    if inner := mapping(body.get("request")):
        found.parameters |= parameters(inner, _SHOWN)
        body = inner
    for declared in mappings(body.get("tools")):
        functions = _member(declared, "functionDeclarations")
        for function in mappings(functions):
            found.tools += tool(function, function.get("description"))
        for name in declared if not functions else ():
            found.tools += tool({"name": name}, None)
    found.messages += _speech("system", _member(body, "systemInstruction"))
    contents = body.get("contents")
    if isinstance(contents, str):
        found.messages += speech("user", texts(contents))
    for content in [mapping(contents)] if isinstance(contents, dict) else mappings(contents):
        found.messages += _speech(string(content.get("role")) or "user", content)
    return found


def answer(documents: Iterable[Any]) -> Conversation:
    found = Conversation()
    blocks: dict[int, list[Block]] = {}
    stops: dict[int, str] = {}
    for outer in map(mapping, documents):
        document = mapping(outer.get("response")) or outer
        found.errors += errors(outer.get("error"))
        found.model = first(document, "modelVersion") or found.model
        found.usage = usage(document.get("usageMetadata")) or found.usage
        if not found.usage and "totalTokens" in document:  # of countTokens
            found.usage = usage(document)
        feedback = mapping(document.get("promptFeedback"))
        if reason := first(feedback, "blockReasonMessage", "blockReason"):
            found.errors.append(f"the prompt was blocked: {reason}")
        for position, candidate in enumerate(mappings(document.get("candidates"))):
            index = number(candidate.get("index"), position)
            blocks.setdefault(index, []).extend(_blocks(candidate.get("content")))
            said = [first(candidate, "finishReason"), first(candidate, "finishMessage")]
            stops[index] = ": ".join(part for part in said if part) or stops.get(index, "")
    for index, said_blocks in sorted(blocks.items()):
        role = "model" if len(blocks) == 1 else f"model {index + 1} of {len(blocks)}"
        found.messages += speech(role, joined(_whole_calls(said_blocks)), stops[index])
    return found


def _member(value: Json, name: str) -> Any:
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return value.get(name, value.get(snake))


def _speech(role: str, content: Any) -> list[Message]:
    return speech(role, texts(content) if isinstance(content, str) else _blocks(content))


def _blocks(content: Any) -> Iterator[Block]:
    for part in mappings(mapping(content).get("parts")):
        call, result = _member(part, "functionCall"), _member(part, "functionResponse")
        if isinstance(part.get("text"), str):
            if part["text"]:
                yield Block("thinking" if part.get("thought") is True else "text", part["text"])
        elif isinstance(call, dict):
            yield Block("call", name=first(call, "name"), id=first(call, "id"), data=_data(call))
        elif isinstance(result, dict):
            name, identity = first(result, "name"), first(result, "id")
            yield Block("result", name=name, id=identity, data=result.get("response"))
        else:
            for kind, value in part.items():
                if kind not in ("thoughtSignature", "thought_signature", "thought"):
                    yield other(kind, value if isinstance(value, dict) else {"value": value})


class _Pieces(dict[str, list[Any]]):
    """Arguments that come in pieces, by their JSONPath."""


def _data(call: Json) -> Any:
    partial = mappings(call.get("partialArgs"))
    if not (partial or call.get("willContinue") or not call.get("name")):
        return parsed(call.get("args") or {})
    pieces = _Pieces()
    for piece in partial:
        leaf = next((piece[name] for name in _LEAVES if name in piece), "")
        pieces.setdefault(string(piece.get("jsonPath")).removeprefix("$."), []).append(leaf)
    return pieces


def _whole_calls(blocks: Iterable[Block]) -> Iterator[Block]:
    """Calls whose arguments came in pieces, put together; the texts between stay."""
    call: Block | None = None
    for block in blocks:
        if isinstance(block.data, _Pieces):
            if call is not None and not block.name:
                for path, pieces in block.data.items():
                    call.data.setdefault(path, []).extend(pieces)
                continue
            if call is not None:
                yield _whole(call)
            call = block
            continue
        if call is not None:
            yield _whole(call)
            call = None
        yield block
    if call is not None:
        yield _whole(call)


def _whole(call: Block) -> Block:
    arguments: dict[Any, Any] = {}
    for path, pieces in call.data.items():
        inner = arguments
        *steps, last = _steps(path) or [path]
        for step in steps:
            inner = inner.setdefault(step, {})
            if not isinstance(inner, dict):
                break
        else:
            inner[last] = pieces[0] if len(pieces) == 1 else "".join(map(str, pieces))
    return Block("call", name=call.name, id=call.id, data=_with_arrays(arguments))


def _steps(path: str) -> list[str | int]:
    """Names and indices of a JSONPath such as `recipe.steps[0]['a name']`."""
    found = _STEP.findall(path)[:DEEPEST]
    return [int(index) if index else name or quoted for name, index, quoted in found]


def _with_arrays(value: Any) -> Any:
    """Objects whose keys are indices as the arrays that they stand for."""
    if not isinstance(value, dict):
        return value
    inner = {key: _with_arrays(item) for key, item in value.items()}
    if inner and all(isinstance(key, int) for key in inner):
        return [inner[index] for index in sorted(inner)]
    return {str(key): item for key, item in inner.items()}
