"""OpenAI Chat Completions: `POST …/chat/completions`.

Shapes as in the official SDK, openai 3.57.0, and in recordings; how answers are read stands in
`openai_chat_reading`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.wire.openai_chat_reading import (
    DETAILS,
    THINKING,
    choices,
    read,
    read_whole,
)
from mitmproxy_windsurf.wire.parts import Channel, Extra, Json, Key, Prompt, SignedThought
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at, described, text_blocks

__all__ = ["delta", "prompts", "read", "read_whole", "signed_thoughts", "slot"]

_PROMPT_ROLES = ("system", "developer", "root")  # root: SGLang
_IDENTITY = ("id", "object", "created", "model", "provider", "system_fingerprint", "service_tier")
_KIND = ("index", "type", "format")
_USUAL_PLACE: dict[Channel, Path] = {
    "text": ("choices", 0, "delta", "content"),
    "thinking": ("choices", 0, "delta", "reasoning_content"),
    "refusal": ("choices", 0, "delta", "refusal"),
    "tool_input": ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"),
    "tool_text": ("choices", 0, "delta", "tool_calls", 0, "custom", "input"),
}


def prompts(body: Json) -> Iterator[Prompt]:
    """System and developer messages, tools and functions, the description of a response format."""
    messages = body.get("messages")
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict) and message.get("role") in _PROMPT_ROLES:
            where: Path = ("messages", index)
            place = f"messages[{index}]"
            yield from text_blocks(
                "system", message.get("content"), (*where, "content"), place, types=("text", None)
            )
            yield from _tools(message.get("tools"), (*where, "tools"))
    yield from _tools(body.get("tools"), ("tools",))
    functions = body.get("functions")
    for index, function in enumerate(functions if isinstance(functions, list) else ()):
        if isinstance(function, dict):
            yield from described(
                function, ("functions", index), f"functions[{index}]", ("parameters",)
            )
    response_format = body.get("response_format")
    schema = response_format.get("json_schema") if isinstance(response_format, dict) else None
    if isinstance(schema, dict):
        yield from described(
            schema, ("response_format", "json_schema"), "response_format", ("schema",)
        )


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """None: what vendors sign here, clients do not send back as text."""
    return iter(())


def slot(document: Json, key: Key) -> Path | None:
    """The `content` of the same choice, which may be null or absent; other texts get a chunk of
    their own.

    So does text that comes before thinking: clients read the thinking of a chunk first.
    """
    if key.channel != "text" or key.copy:
        return None
    position, choice = _choice(document, key.group)
    delta = choice.get("delta")
    if not isinstance(delta, dict) or isinstance(delta.get("content"), list):
        return None
    thinks = any(delta.get(name) for name in (*THINKING, DETAILS))
    return None if thinks else ("choices", position, "delta", "content")


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more chunk for the choice, with the text in all places where `like` has this key's."""
    _, model = _choice(like, key.group)
    alone = {"choices": [{**model, "index": key.group}]}
    same = [part for part in read(alone).parts if part.key == key]
    choice: Json = {"index": key.group, "delta": {}, "finish_reason": None}
    for path in same[-1].paths if same else (_USUAL_PLACE[key.channel],):
        for member, value in _only(text, path[2:], model).items():
            choice[member] = choice["delta"] | value if member == "delta" else value
    for call in choice["delta"].get("tool_calls", ()):
        call["index"] = key.item
    head = {name: like[name] for name in _IDENTITY if name in like}
    return Extra(None, {**head, "choices": [choice]})


def _tools(tools: Any, path: Path) -> Iterator[Prompt]:
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        for kind in ("function", "custom"):
            if isinstance(tool, dict) and isinstance(tool.get(kind), dict):
                yield from described(
                    tool[kind], (*path, index, kind), f"tools[{index}]", ("parameters",)
                )


def _choice(document: Json, index: Any) -> tuple[int, Json]:
    """The position and the choice of this index, which is most often the same number."""
    likely = at(document, ("choices", index))
    if isinstance(likely, dict) and likely.get("index", index) == index:
        return index, likely
    return next(
        (found for found in choices(document) if found[1].get("index", found[0]) == index), (0, {})
    )


def _only(text: str, path: Path, model: Any) -> Any:
    """`model` without anything but `text` at `path`, and of array elements what tells their
    kind."""
    if not path:
        return text
    step, rest = path[0], path[1:]
    inner = at(model, (step,))
    if isinstance(step, str):
        return {step: _only(text, rest, inner)}
    kind = {name: inner[name] for name in _KIND if name in inner} if inner else {}
    return [{**kind, **_only(text, rest, inner)}]
