"""The tool calls of one choice of a chat answer, out of fragments that follow no one rule.

The norm: `index` in every fragment, `id` and name in the first, pieces of JSON in `arguments`. Seen
besides: whole calls in one fragment (Ollama, Mistral, xAI), no index or no id, index 0 for every
call (Gemini's compatible endpoint, older Ollama), id or name in every fragment, arguments as an
object, and `function_call`, which OpenAI has deprecated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mitmproxy_windsurf.upstream.translate.json_end import JsonEnd
from mitmproxy_windsurf.upstream.translate.model import Arguments, Event, Json, ToolCall


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    index: int | None = None
    """Its number; none as long as the backend has not named its function."""
    held: str = ""
    end: JsonEnd = field(default_factory=JsonEnd)


class Calls:
    """Reads the calls of a choice. Ids that are missing are made from `seed`."""

    def __init__(self, choice: int, seed: str) -> None:
        self._choice = choice
        self._seed = seed
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._ids: set[str] = set()

    def read(self, fragment: Json) -> Iterator[Event]:
        """One element of `tool_calls`."""
        function = fragment.get("function")
        if not isinstance(function, dict):
            function = fragment.get("custom")
        function = function if isinstance(function, dict) else {}
        id, name = _text(fragment.get("id")), _text(function.get("name"))
        text = _arguments(function.get("arguments", function.get("input")))
        if not (id or name or text):
            return
        index = fragment.get("index")
        call = self._call(index if isinstance(index, int) else None, id, name)
        call.id = call.id or id
        call.name = call.name or name
        call.end.feed(text)
        call.held += text
        if call.name:
            yield from self._tell(call)

    def finish(self) -> Iterator[Event]:
        """The choice has ended: what has no name by now gets none."""
        for call in self._calls:
            if call.held:
                yield from self._tell(call)

    @property
    def told(self) -> int:
        """How many calls there are."""
        return sum(call.index is not None for call in self._calls)

    def _call(self, index: int | None, id: str, name: str) -> _Call:
        """The call that a fragment belongs to."""
        known = self._known(index, id)
        if known is None or _begins_another(known, index, id, name):
            known = _Call(id, name)
            self._calls.append(known)
            if index is not None:
                self._by_index[index] = known
        return known

    def _known(self, index: int | None, id: str) -> _Call | None:
        if index is not None:
            return self._by_index.get(index)
        if id:
            return next((call for call in reversed(self._calls) if call.id == id), None)
        return self._calls[-1] if self._calls else None

    def _tell(self, call: _Call) -> Iterator[Event]:
        if call.index is None:
            call.index = self.told
            yield ToolCall(self._choice, call.index, self._id(call), call.name)
        if call.held:
            yield Arguments(self._choice, call.index, call.held)
            call.held = ""

    def _id(self, call: _Call) -> str:
        """Clients keep results by id over a whole conversation, so it has to be one of its own."""
        id = call.id
        if not id or id in self._ids:
            made = f"{self._seed}/{self._choice}/{call.index}".encode("utf-8", "replace")
            id = f"call_{hashlib.sha256(made).hexdigest()[:24]}"
        self._ids.add(id)
        return id


def _begins_another(last: _Call, index: int | None, id: str, name: str) -> bool:
    """A fragment that names a function begins a call, unless it only repeats itself."""
    if not name:
        return False
    if id and last.id:
        return id != last.id
    if index is not None:
        return last.end.reached
    return last.name != name or not last.end.begun or last.end.reached


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _text(value)
