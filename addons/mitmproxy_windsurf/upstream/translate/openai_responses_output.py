"""The items of a response's output: what each looks like, and the events that tell of it.

Shapes as in the official SDK, openai 3.57.0. Events come without their numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from mitmproxy_windsurf.upstream.translate.answer import CallPart, Part, RefusalPart, ThinkingPart
from mitmproxy_windsurf.upstream.translate.custom_input import CustomInput
from mitmproxy_windsurf.upstream.translate.model import Json
from mitmproxy_windsurf.upstream.translate.openai_responses_tools import INPUT, Tool, Tools
from mitmproxy_windsurf.upstream.translate.sealed_thought import seal
from mitmproxy_windsurf.wire.openai_responses_items import STREAMS

SEALED = "reasoning.encrypted_content"
"""With this in `include` a client wants reasoning that it can hand back."""


class Wanted(NamedTuple):
    """What a client wants to have of reasoning: summaries, or the text itself; and sealed."""

    summary: bool
    sealed: bool


class _Shape(NamedTuple):
    """How the item of one kind of part looks, and its text in it."""

    kind: str
    prefix: str
    events: str = ""
    """What the events of the text are called, as in wire.openai_responses_items."""
    part: str = ""
    """The type of the part that holds the text."""
    member: str = ""
    """Where the parts stand."""


_MESSAGE = _Shape("message", "msg", "output_text", "output_text", "content")
_REFUSAL = _Shape("message", "msg", "refusal", "refusal", "content")
_SUMMARY = _Shape("reasoning", "rs", "reasoning_summary_text", "summary_text", "summary")
_REASONING = _Shape("reasoning", "rs", "reasoning_text", "reasoning_text", "content")
_FUNCTION = _Shape("function_call", "fc", "function_call_arguments")
_CUSTOM = _Shape("custom_tool_call", "ctc", "custom_tool_call_input")
_SEARCH = _Shape("tool_search_call", "tsc")

_CALLS = {"function": _FUNCTION, "custom": _CUSTOM, "tool_search": _SEARCH}
_PART_EVENTS = {"content": "content_part", "summary": "reasoning_summary_part"}
_EXTRAS: dict[str, Json] = {"output_text": {"annotations": [], "logprobs": []}}
"""What a part of text has beside it."""


class Item:
    """One item of the output, from its beginning to its end."""

    def __init__(self, part: Part, index: int, base: str, tools: Tools, wanted: Wanted) -> None:
        self._tool: Tool | None = None
        self._sealed = wanted.sealed and isinstance(part, ThinkingPart)
        if isinstance(part, CallPart):
            self._tool = tools.tool(part.name)
        self._shape = _shape(part, self._tool, wanted)
        self._decode = CustomInput(INPUT) if self._shape is _CUSTOM else None
        self._pieces: list[str] = []
        self._index = index
        self._id = f"{self._shape.prefix}_{base}_{index}"
        self._call_id = part.id if isinstance(part, CallPart) else ""

    def begin(self) -> Iterator[Json]:
        """The item is there, with no text yet."""
        yield self._item_event("added", self._item("", "in_progress", parts=False))
        if self._shape.member:
            yield self._part_event("added", "")

    def grow(self, piece: str) -> Iterator[Json]:
        """More text."""
        piece = self._decode.feed(piece) if self._decode else piece
        self._pieces.append(piece)
        if piece and self._shape.events:
            yield self._text_event("delta", "delta", piece)

    def end(self, status: str) -> Iterator[Json]:
        """The item is complete; it is in the last event."""
        if rest := self._rest(status):
            self._pieces.append(rest)
            yield self._text_event("delta", "delta", rest)
        text = "".join(self._pieces)
        if self._shape.events:
            yield self._text_event("done", STREAMS[self._shape.events].done, text)
        if self._shape.member:
            yield self._part_event("done", text)
        yield self._item_event("done", self._item(text, status))

    def _rest(self, status: str) -> str:
        """What of the text comes only now: no arguments at all are none, in JSON."""
        if self._decode:
            return self._decode.flush()
        bare = self._shape is _FUNCTION and status == "completed"
        return "{}" if bare and not "".join(self._pieces).strip() else ""

    def _item(self, text: str, status: str, *, parts: bool = True) -> Json:
        """The item with this text; it has parts only once these have been told of."""
        item: Json = {"id": self._id, "type": self._shape.kind}
        if self._tool is not None:
            return item | {"status": status} | self._call(self._tool, text)
        if self._shape.kind == "message":
            item |= {"status": status, "role": "assistant"}
        else:
            item["summary"] = []
        item[self._shape.member] = [self._part(text)] if parts else []
        if self._sealed and parts:
            item["encrypted_content"] = seal(text)
        return item

    def _call(self, tool: Tool, text: str) -> Json:
        members: Json = {"call_id": self._call_id}
        if self._shape is _SEARCH:
            return members | {"execution": "client", "arguments": _arguments(text)}
        members["name"] = tool.name
        if tool.namespace is not None:
            members["namespace"] = tool.namespace
        return members | {STREAMS[self._shape.events].done: text}

    def _part(self, text: str) -> Json:
        name = "refusal" if self._shape is _REFUSAL else "text"
        return {"type": self._shape.part, name: text} | _EXTRAS.get(self._shape.part, {})

    def _item_event(self, stage: str, item: Json) -> Json:
        return {
            "type": f"response.output_item.{stage}",
            "output_index": self._index,
            "item": item,
        }

    def _part_event(self, stage: str, text: str) -> Json:
        kind = _PART_EVENTS[self._shape.member]
        return {"type": f"response.{kind}.{stage}", **self._address(), "part": self._part(text)}

    def _text_event(self, stage: str, member: str, text: str) -> Json:
        kind = self._shape.events
        event = {"type": f"response.{kind}.{stage}", **self._address(), member: text}
        if self._shape is _MESSAGE:
            event["logprobs"] = []
        elif self._shape is _FUNCTION and stage == "done" and self._tool:
            event["name"] = self._tool.name
        return event

    def _address(self) -> Json:
        address: Json = {"item_id": self._id, "output_index": self._index}
        counter = STREAMS[self._shape.events].counter
        return address | ({counter: 0} if counter else {})


def _shape(part: Part, tool: Tool | None, wanted: Wanted) -> _Shape:
    if tool is not None:
        return _CALLS[tool.kind]
    match part:
        case ThinkingPart():
            return _SUMMARY if wanted.summary else _REASONING
        case RefusalPart():
            return _REFUSAL
        case _:
            return _MESSAGE


def _arguments(text: str) -> object:
    """The arguments of a search, which are an object; what is none stays as it is."""
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text
