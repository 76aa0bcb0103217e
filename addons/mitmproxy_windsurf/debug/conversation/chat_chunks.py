"""The chunks of a streamed chat completion, put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mitmproxy_windsurf.debug.conversation.members import (
    Json,
    first,
    mapping,
    mappings,
    number,
    string,
)

_TEXTS = ("reasoning_content", "reasoning", "refusal")


class _Choice:
    """One choice as it grows."""

    def __init__(self) -> None:
        self.whole: Json = {}
        self.finish = ""
        self.error: Any = None
        self._role = ""
        self._texts: dict[str, list[str]] = {}
        self._content: list[Any] = []
        self._details: list[Any] = []
        self._calls: list[Json] = []
        self._latest: dict[Any, Json] = {}

    def add(self, choice: Json) -> None:
        self.finish = string(choice.get("finish_reason")) or self.finish
        self.error = choice.get("error") or self.error
        if "delta" not in choice:
            self.whole = mapping(choice.get("message")) or self.whole
        delta = mapping(choice.get("delta"))
        self._role = string(delta.get("role")) or self._role
        for name in _TEXTS:
            if piece := string(delta.get(name)):
                self._texts.setdefault(name, []).append(piece)
        if piece := string(mapping(delta.get("audio")).get("transcript")):
            self._texts.setdefault("transcript", []).append(piece)
        content = delta.get("content")
        if isinstance(content, list):
            self._content += content
        elif string(content):
            self._content.append({"type": "text", "text": content})
        self._details += mappings(delta.get("reasoning_details"))
        for call in mappings(delta.get("tool_calls")):
            self._add_call(call)
        if isinstance(delta.get("function_call"), dict):
            self._add_call({"function": delta["function_call"], "index": "function_call"})

    def _add_call(self, call: Json) -> None:
        """A fragment; some vendors give every call the same index, and all but the first no id."""
        inner = mapping(call.get("function") or call.get("custom"))
        index, name = str(call.get("index")), first(inner, "name")
        identity = first(call, "id")
        known = self._latest.get(index)
        if known is None or (name and identity and identity != known["id"]):
            known = {"id": identity, "name": name, "arguments": []}
            self._latest[index] = known
            self._calls.append(known)
        known["id"] = known["id"] or identity
        known["name"] = known["name"] or name
        arguments = inner.get("arguments", inner.get("input"))
        if arguments is not None:
            known["arguments"].append(arguments)

    def message(self) -> Json:
        if self.whole:
            return self.whole
        message: Json = {"role": self._role, "content": self._content}
        for name, pieces in self._texts.items():
            if name == "transcript":
                message["audio"] = {name: "".join(pieces)}
            else:
                message[name] = "".join(pieces)
        if self._details:
            message["reasoning_details"] = self._details
        message["tool_calls"] = [
            {
                "id": call["id"],
                "function": {"name": call["name"], "arguments": _arguments(call["arguments"])},
            }
            for call in self._calls
        ]
        return message


def _arguments(pieces: list[Any]) -> Any:
    """Fragments of a text, or the object that a vendor sends at once."""
    if len(pieces) == 1:
        return pieces[0]
    return "".join(string(piece) for piece in pieces)


def folded(chunks: Iterable[Json]) -> Json:
    """The completion of these chunks; one that came whole is a chunk too."""
    completion: Json = {}
    choices: dict[int, _Choice] = {}
    for chunk in chunks:
        for name in ("model", "usage", "error"):
            if chunk.get(name):
                completion[name] = chunk[name]
        if not chunk.get("choices") and "error" not in chunk and "message" in chunk:
            completion["error"] = chunk  # some vendors say no more than a message
        for position, choice in enumerate(mappings(chunk.get("choices"))):
            index = number(choice.get("index"), position)
            choices.setdefault(index, _Choice()).add(choice)
    completion["choices"] = [
        {
            "index": index,
            "message": choice.message(),
            "finish_reason": choice.finish,
            "error": choice.error,
        }
        for index, choice in sorted(choices.items())
    ]
    return completion
