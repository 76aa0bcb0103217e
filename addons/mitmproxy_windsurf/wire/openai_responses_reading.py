"""The texts in an answer of the Responses API: the events of a stream, in whatever frames they
come, and whole responses.

A text comes in deltas, then again and again: when it is done, when its part is done, its item and
the response. It is known by `output_index` and the index inside of the item, since Copilot gives
items another id in every event; only llama.cpp, which sends no indices, keeps its ids.

Shapes as in the official SDK, openai 3.57.0, and in recordings of the servers that are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mitmproxy_windsurf.wire.openai_responses_items import (
    GROUP,
    PRINTED,
    STREAMS,
    Place,
    read_annotation,
    read_item,
    read_part,
    read_text,
)
from mitmproxy_windsurf.wire.openai_responses_prompts import prompts_at
from mitmproxy_windsurf.wire.parts import ALL, Json, Key, Part, Reading
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import elements, loose_parts

_ENDED = ("completed", "incomplete")
_FAILED = ("failed", "cancelled")
_TEXT_COPY = Key(GROUP, "text", Place("output_text", 0, "output_text"), copy=True)
_REASONING = Key(GROUP, "thinking", Place("reasoning", 0, "reasoning_text"))


def read(document: Json) -> Reading:
    """One event of a stream."""
    kind = document.get("type")
    if not isinstance(kind, str):
        return _error(document) if document.get("error") else Reading()
    subject, _, stage = kind.removeprefix("response.").rpartition(".")
    reader = _READERS.get(subject)
    return reader(document, subject, stage) if reader else Reading()


def read_whole(document: Json) -> Iterator[Reading]:
    """A response that is not streamed, item by item."""
    readings = _response(document, ())
    if document.get("status") in _FAILED:
        yield _joined(readings, broken=True)
        return
    yield from readings
    yield Reading(ended=[(ALL, ALL)])


def _text(document: Json, subject: str, stage: str) -> Reading:
    """A text, more of it or all of it."""
    stream = STREAMS[subject]
    place = Place(_output(document), _index(document, stream.counter), subject)
    reading = Reading()
    where = "delta" if stage == "delta" else stream.done
    read_text(document, (where,), (), place, reading, again=stage == "done")
    if stage == "done" and not reading.parts:
        reading.ended.append((GROUP, place))
    if document.get("logprobs"):
        reading.tokens.append((GROUP, stream.channel, ("logprobs",)))
    return reading


def _printed(document: Json, subject: str, stage: str) -> Reading:
    """What a command has printed; when it is done, in one entry or more."""
    output, index = _output(document), _index(document, STREAMS[subject].counter)
    done = stage == "done"
    entries = len(elements(document, ("output",))) if done else 1
    reading = Reading()
    for entry in range(entries):
        for member in PRINTED:
            where: Path = ("output", entry, member) if done else ("delta", member)
            place = Place(output, index + entry, subject, member)
            read_text(document, where, (), place, reading, again=done)
    return reading


def _part(document: Json, subject: str, stage: str) -> Reading:
    """A part of a message or of reasoning, as it begins or as it is done."""
    reading = Reading()
    counter = "summary_index" if subject == "reasoning_summary_part" else "content_index"
    output, index = _output(document), _index(document, counter)
    part, again = document.get("part"), stage == "done"
    read_part(part, output, index, ("part",), reading, again=again)
    return reading


def _item(document: Json, subject: str, stage: str) -> Reading:
    reading = Reading()
    item = document.get("item")
    read_item(item, _output(document, item), ("item",), reading, again=stage == "done")
    return reading


def _annotation(document: Json, subject: str, stage: str) -> Reading:
    place = Place(_output(document), _index(document, "content_index"), "output_text")
    reading = Reading()
    read_annotation(document.get("annotation"), place, ("annotation",), reading)
    return reading


def _lifecycle(document: Json, subject: str, stage: str) -> Reading:
    """The response itself, as it stands, or an error."""
    if stage == "error":
        return _error(document)
    response = document.get("response")
    if not isinstance(response, dict):
        return Reading()
    reading = _joined(_response(response, ("response",)), broken=stage in _FAILED)
    if stage in _ENDED:
        reading.ended.append((ALL, ALL))
    return reading


def _error(document: Json) -> Reading:
    """Flat as in the SDK, or nested as it is sent."""
    return Reading(list(loose_parts("error", document, ())), broken=True)


_READERS: dict[str, Callable[[Json, str, str], Reading]] = {
    **dict.fromkeys(STREAMS, _text),
    "shell_call_output_content": _printed,
    "content_part": _part,
    "reasoning_part": _part,  # vLLM
    "reasoning_summary_part": _part,
    "output_item": _item,
    "output_text.annotation": _annotation,
    "": _lifecycle,
}


def _response(response: Json, path: Path) -> list[Reading]:
    """What a response says, item by item, and what it repeats of the request."""
    head = Reading()
    for prompt in prompts_at(response, path):
        head.echoes += zip(prompt.paths, prompt.texts, strict=True)
    head.parts += loose_parts("error", response.get("error"), (*path, "error"))
    readings = [head]
    for index, item in enumerate(elements(response, ("output",))):
        reading = Reading()
        read_item(item, index, (*path, "output", index), reading, again=True)
        readings.append(reading)
    _copy(response.get("output_text"), (*path, "output_text"), _TEXT_COPY, readings)
    _copy(response.get("reasoning"), (*path, "reasoning"), _REASONING, readings)
    return readings


def _copy(text: Any, where: Path, key: Key, readings: list[Reading]) -> None:
    """Join a copy to the part that it repeats; thinking that repeats none comes first.

    OpenRouter and mistral.rs have all the text beside the items, mistral.rs the reasoning too,
    where others say what was asked for.
    """
    if not isinstance(text, str):
        return
    for reading in readings:
        for index, part in enumerate(reading.parts):
            if part.channel == key.channel and part.text == text:
                reading.parts[index] = part._replace(paths=(*part.paths, where))
                return
    alone = Reading([Part(key.channel, text, (where,), key, again=True)])
    readings.insert(0 if key.channel == "thinking" else len(readings), alone)


def _joined(readings: list[Reading], *, broken: bool) -> Reading:
    """All that is said of texts that have begun already."""
    whole = Reading(broken=broken)
    for reading in readings:
        whole.parts += reading.parts
        whole.tokens += reading.tokens
        whole.citations += reading.citations
        whole.echoes += reading.echoes
    return whole


def _output(document: Json, item: Any = None) -> int | str:
    """What tells the item apart."""
    index = document.get("output_index")
    if isinstance(index, int):
        return index
    ids = item if isinstance(item, dict) else {"id": document.get("item_id")}
    found = ids.get("id") or ids.get("call_id")
    return found if isinstance(found, str) else 0


def _index(document: Json, name: str) -> int:
    index = document.get(name)
    return index if isinstance(index, int) else 0
