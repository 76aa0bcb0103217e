"""The events of a streamed response, put together.

Every text comes three times and more: in deltas, when it is done, with its part, with its item,
and once more at the end. The later ones are whole and win; where a vendor leaves them out, or the
stream was cut off, the deltas have to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from mitmproxy_windsurf.debug.conversation.members import (
    Json,
    first,
    mapping,
    mappings,
    number,
    string,
)


class _Place(NamedTuple):
    """Where a streamed text stands in its item."""

    item_type: str
    member: str
    position: str = ""
    part_type: str = ""
    text: str = ""


_PLACES = {
    "response.output_text": _Place("message", "content", "content_index", "output_text", "text"),
    "response.refusal": _Place("message", "content", "content_index", "refusal", "refusal"),
    "response.reasoning_text": _Place(
        "reasoning", "content", "content_index", "reasoning_text", "text"
    ),
    "response.reasoning_summary_text": _Place(
        "reasoning", "summary", "summary_index", "summary_text", "text"
    ),
    "response.function_call_arguments": _Place("function_call", "arguments"),
    "response.mcp_call_arguments": _Place("mcp_call", "arguments"),
    "response.custom_tool_call_input": _Place("custom_tool_call", "input"),
    "response.code_interpreter_call_code": _Place("code_interpreter_call", "code"),
}


class _Item:
    """One item as it grows."""

    def __init__(self) -> None:
        self.item: Json = {}
        self.done = False
        self._texts: dict[tuple[_Place, int], list[str]] = {}

    def add(self, place: _Place, event: Json, done: bool) -> None:
        key = place, number(event.get(place.position))
        if done:
            whole = first(event, place.text or place.member)
            self._texts[key] = [whole] if whole else self._texts.get(key, [])
        else:
            self._texts.setdefault(key, []).append(string(event.get("delta")))

    def whole(self) -> Json:
        if self.done:
            return self.item
        item = dict(self.item)
        parts: dict[str, dict[int, Json]] = {}
        for (place, position), pieces in self._texts.items():
            item.setdefault("type", place.item_type)
            text = "".join(pieces)
            if place.position:
                part = {"type": place.part_type, place.text: text}
                parts.setdefault(place.member, {})[position] = part
            else:
                item[place.member] = text
        for member, found in parts.items():
            item[member] = [found[position] for position in sorted(found)]
        return item


def folded(events: Iterable[Json]) -> Json:
    """The response of these events; one that came whole is an event too."""
    response: Json = {}
    items: dict[int | str, _Item] = {}
    failures: list[Any] = []
    for event in events:
        kind = string(event.get("type"))
        if kind == "error" or ("error" in event and not kind and "output" not in event):
            failures.append(event.get("error") or {**event, "type": event.get("code")})
        elif isinstance(event.get("response"), dict):
            response |= event["response"]
        elif not kind:
            response |= event
        elif kind in ("response.output_item.added", "response.output_item.done"):
            item = mapping(event.get("item"))
            grown = items.setdefault(_key(event, item), _Item())
            grown.item, grown.done = item, kind.endswith("done")
        elif (stem := kind.rpartition("."))[0] in _PLACES and stem[2] in ("delta", "done"):
            grown = items.setdefault(_key(event, {}), _Item())
            grown.add(_PLACES[stem[0]], event, stem[2] == "done")
    if not mappings(response.get("output")):
        in_order = sorted(items, key=lambda key: key if isinstance(key, int) else len(items))
        response["output"] = [items[key].whole() for key in in_order]
    if response.get("error"):
        failures.append(response["error"])
    return response | {"error": failures}


def _key(event: Json, item: Json) -> int | str:
    """Some vendors leave the index out, others make up new ids for every event."""
    index = event.get("output_index")
    if isinstance(index, int):
        return index
    return first(event, "item_id") or first(item, "id", "call_id")
