"""The texts in the output items of the Responses API, and how their events look.

Shapes as in the official SDK, openai 3.57.0, and in recordings of the servers that are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from mitmproxy_windsurf.wire.openai_responses_prompts import item_prompts
from mitmproxy_windsurf.wire.parts import Channel, Citation, Json, Key, Part, Reading
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at, elements, loose_parts

GROUP = "response"
"""All texts of an answer: a message may repeat the reasoning, which is another item."""


class Place(NamedTuple):
    """Where a text stands in the answer."""

    output: int | str
    """The `output_index` of its item, or the item's id where there is none."""
    position: int
    """Of the part, the summary or the command in its item."""
    events: str
    """What its events are called: `response.EVENTS.delta`."""
    member: str = ""
    """Of the delta, where that is an object."""

    def __str__(self) -> str:
        return f"{self.output}.{self.position}"


class Stream(NamedTuple):
    """How the events of one kind of text look."""

    channel: Channel
    done: str
    """The member that has the whole text once it is done."""
    counter: str = ""
    """The member that tells the texts of an item apart."""


STREAMS = {
    "output_text": Stream("text", "text", "content_index"),
    "refusal": Stream("refusal", "refusal", "content_index"),
    "reasoning_text": Stream("thinking", "text", "content_index"),
    "reasoning_summary_text": Stream("thinking", "text", "summary_index"),
    "function_call_arguments": Stream("tool_input", "arguments"),
    "mcp_call_arguments": Stream("tool_input", "arguments"),
    "mcp_approval_request_arguments": Stream("tool_input", "arguments"),  # in items only
    "custom_tool_call_input": Stream("tool_text", "input"),
    "code_interpreter_call_code": Stream("tool_text", "code"),
    "program_code": Stream("tool_text", "code"),  # in items only
    "shell_call_command": Stream("tool_text", "command", "command_index"),
    "apply_patch_call_operation_diff": Stream("tool_text", "diff"),
    "shell_call_output_content": Stream("result", "output", "command_index"),
    "audio.transcript": Stream("refusal", "transcript"),  # spoken already
}
PRINTED = ("stdout", "stderr")
_PARTS = {
    "output_text": "output_text",
    "text": "output_text",
    "refusal": "refusal",
    "reasoning_text": "reasoning_text",
    "summary_text": "reasoning_summary_text",
}
"""What the events of a part's text are called, by the type of the part."""

_WHOLE: dict[str, tuple[str, Path]] = {
    "function_call": ("function_call_arguments", ("arguments",)),
    "mcp_call": ("mcp_call_arguments", ("arguments",)),
    "mcp_approval_request": ("mcp_approval_request_arguments", ("arguments",)),
    "custom_tool_call": ("custom_tool_call_input", ("input",)),
    "code_interpreter_call": ("code_interpreter_call_code", ("code",)),
    "program": ("program_code", ("code",)),
    "apply_patch_call": ("apply_patch_call_operation_diff", ("operation", "diff")),
}
"""Items that hold one text, and where."""

_LOOSE: dict[str, Channel] = {
    "arguments": "tool_input",  # an object, of a search for tools
    "input": "tool_input",
    "action": "tool_input",
    "operation": "tool_input",
    "queries": "tool_input",
    "output": "result",
    "outputs": "result",
    "results": "result",
    "error": "error",
}
"""What else items of any type hold, complete in itself."""

_OF_SOME: dict[str, dict[str, Channel]] = {
    "program_output": {"result": "result"},
    "mcp_list_tools": {"tools": "result"},
}
"""What items of one type hold beside."""

_SEALED = ("compaction", "image_generation_call")
_OFFSETS = {
    "url_citation": ("start_index", "end_index"),
    "container_file_citation": ("start_index", "end_index"),
    "file_citation": ("index", ""),
}
"""Members that count characters of the text, by the type of the annotation."""


def read_item(item: Any, output: int | str, path: Path, reading: Reading, *, again: bool) -> None:
    """The texts of an output item; with `again` they are all that there is of them."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind in _SEALED:
        return
    for member in ("summary", "content"):
        for index, part in enumerate(elements(item, (member,))):
            read_part(part, output, index, (*path, member, index), reading, again=again)
    texts = list(_texts(item, kind, output))
    for place, where in texts:
        read_text(item, where, path, place, reading, again=again)
    taken = {(*path, *where) for _, where in texts}
    for member, channel in (_LOOSE | _OF_SOME.get(kind, {})).items():
        if member in item:
            found = loose_parts(channel, item[member], (*path, member))
            reading.parts += [part for part in found if part.paths[0] not in taken]
    if kind.endswith("_call"):
        reading.started.append(Key(GROUP, "tool_input", Place(output, 0, kind)))
    for prompt in item_prompts([item], (), ""):
        for found_at, text in zip(prompt.paths, prompt.texts, strict=True):
            reading.echoes.append(((*path, *found_at[1:]), text))


def _texts(item: Json, kind: str, output: int | str) -> Iterator[tuple[Place, Path]]:
    """What the item of a call holds: arguments, code, commands or what they have printed."""
    if kind in _WHOLE:
        events, where = _WHOLE[kind]
        yield Place(output, 0, events), where
    for index in range(len(elements(item, ("action", "commands")))):
        yield Place(output, index, "shell_call_command"), ("action", "commands", index)
    if kind == "shell_call_output":
        for index in range(len(elements(item, ("output",)))):
            for member in PRINTED:
                place = Place(output, index, "shell_call_output_content", member)
                yield place, ("output", index, member)


def read_part(
    part: Any, output: int | str, index: int, path: Path, reading: Reading, *, again: bool
) -> None:
    """The text of a part of a message or of a reasoning item, its citations and tokens."""
    kind = part.get("type") if isinstance(part, dict) else None
    if kind not in _PARTS:
        return
    events = _PARTS[kind]
    stream = STREAMS[events]
    place = Place(output, index, events)
    read_text(part, (stream.done,), path, place, reading, again=again)
    if part.get("logprobs"):
        reading.tokens.append((GROUP, stream.channel, (*path, "logprobs")))
    for position, note in enumerate(elements(part, ("annotations",))):
        read_annotation(note, place, (*path, "annotations", position), reading)


def read_annotation(note: Any, place: Place, path: Path, reading: Reading) -> None:
    """What a text cites, and the places in it; the `index` of a `file_path` is that of a list."""
    reading.parts += loose_parts("result", note, path)
    kind = note.get("type") if isinstance(note, dict) else None
    if kind in _OFFSETS:
        start, end = _OFFSETS[kind]
        key = Key(GROUP, STREAMS[place.events].channel, place)
        reading.citations.append(Citation(key, (*path, start), (*path, end) if end else None))


def read_text(
    value: Any, where: Path, path: Path, place: Place, reading: Reading, *, again: bool
) -> None:
    """The text at `where` in `value`, which stands at `path`, if there is one; the empty ones that
    items and parts begin with say nothing."""
    text = at(value, where)
    if isinstance(text, str) and (text or again):
        channel = STREAMS[place.events].channel
        key = Key(GROUP, channel, place)
        reading.parts.append(Part(channel, text, ((*path, *where),), key, again=again))
