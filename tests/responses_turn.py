"""A turn of the Responses API, text by text: all the events of its stream, and the response."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, NamedTuple

Json = dict[str, Any]


class Form(NamedTuple):
    """How a text is told: its item, the part that holds it, its events."""

    item: Json
    part: Json | None
    parts: str
    """The member of the item that holds parts, or else the text."""
    member: str
    """The member that holds the text in the part and when it is done."""
    events: str
    part_events: str = ""
    counter: str = ""


_PART: Json = {"type": "output_text", "annotations": [], "logprobs": []}
FORMS = {
    "text": Form(
        {"type": "message", "role": "assistant", "content": []},
        _PART,
        *("content", "text", "output_text", "content_part", "content_index"),
    ),
    "refusal": Form(
        {"type": "message", "role": "assistant", "content": []},
        {"type": "refusal"},
        *("content", "refusal", "refusal", "content_part", "content_index"),
    ),
    "reasoning": Form(
        {"type": "reasoning", "encrypted_content": "c2VhbGVk", "summary": []},
        {"type": "summary_text"},
        *("summary", "text", "reasoning_summary_text", "reasoning_summary_part", "summary_index"),
    ),
    "raw_reasoning": Form(
        {"type": "reasoning", "summary": [], "content": []},
        {"type": "reasoning_text"},
        *("content", "text", "reasoning_text", "content_part", "content_index"),
    ),
    "tool_args_delta": Form(
        {"type": "function_call", "call_id": "call_1", "name": "Read"},
        *(None, "arguments", "arguments", "function_call_arguments"),
    ),
    "custom": Form(
        {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch"},
        *(None, "input", "input", "custom_tool_call_input"),
    ),
}
"""By the kind of the text; `reasoning` is a summary."""


class Turn:
    """Its events so far. A text begins with its item, and ends when another begins."""

    def __init__(self, **members: Any) -> None:
        self.events: list[Json] = []
        self.response: Json = {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "status": "in_progress",
            "instructions": None,
            "output": [],
            "tools": [],
            **members,
        }
        self._form: Form | None = None
        self.text = ""
        """Of the open item."""
        self._notes: list[Json] = []
        self._add("response.created", response=deepcopy(self.response))

    def say(self, kind: str, pieces: Iterable[str]) -> "Turn":
        """A text of a new item, as deltas of these pieces."""
        self.begin(kind)
        for piece in pieces:
            self.delta(piece)
        return self

    def begin(self, kind: str) -> None:
        self.stop()
        form = self._form = FORMS[kind]
        self.text, self._notes = "", []
        item = deepcopy(form.item) | {"id": f"item_{self._output}", "status": "in_progress"}
        if form.part is None:
            item[form.parts] = ""
        self._add("response.output_item.added", output_index=self._output, item=item)
        if form.part is not None:
            self._about(f"response.{form.part_events}.added", part={**form.part, form.member: ""})

    def delta(self, text: str) -> None:
        assert self._form
        self.text += text
        self._about(f"response.{self._form.events}.delta", delta=text)

    def annotate(self, note: Json) -> None:
        self._about(
            "response.output_text.annotation.added",
            annotation_index=len(self._notes),
            annotation=note,
        )
        self._notes.append(note)

    def stop(self) -> None:
        """The text is done, and its item."""
        form = self._form
        if form is None:
            return
        self._about(f"response.{form.events}.done", **{form.member: self.text})
        item = deepcopy(form.item) | {"id": f"item_{self._output}", "status": "completed"}
        if form.part is None:
            item[form.parts] = self.text
        else:
            part = {**form.part, form.member: self.text}
            if self._notes:
                part["annotations"] = self._notes
            self._about(f"response.{form.part_events}.done", part=part)
            item[form.parts] = [part]
        self.add(item)
        self._form = None

    def add(self, item: Json) -> None:
        """An item that is done."""
        self._add("response.output_item.done", output_index=self._output, item=item)
        self.response["output"].append(item)

    def complete(self) -> list[Json]:
        """All events, to the last one."""
        self.stop()
        self.response["status"] = "completed"
        self._add("response.completed", response=deepcopy(self.response))
        return self.events

    def fail(self, message: str) -> list[Json]:
        self._add("error", error={"type": "server_error", "message": message})
        self.response |= {"status": "failed", "error": {"code": "server_error", "message": message}}
        self._add("response.failed", response=deepcopy(self.response))
        return self.events

    @property
    def _output(self) -> int:
        return len(self.response["output"])

    def _about(self, kind: str, **members: Any) -> None:
        """An event about the open text."""
        assert self._form
        at: Json = {"item_id": f"item_{self._output}", "output_index": self._output}
        if self._form.counter:
            at[self._form.counter] = 0
        self._add(kind, **at, **members)

    def _add(self, kind: str, **members: Any) -> None:
        self.events.append({"type": kind, "sequence_number": len(self.events), **members})


def numbers(documents: Iterable[Json]) -> list[int]:
    """The numbers of events, which must be those from 0 on."""
    return [document["sequence_number"] for document in documents]
