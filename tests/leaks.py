"""Puts leaks into a recorded answer, cut over its deltas, and tells what must become of the texts.

Between any two deltas of a text stands a leak, of which one has the beginning and the other the
rest; the last delta has one more.
"""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from mitmproxy_windsurf.rewriter.channels import stages
from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.text.json_scan import JSONScanner, Kind
from mitmproxy_windsurf.text.transform import Pipeline, rewrite
from mitmproxy_windsurf.wire.detect import protocol
from mitmproxy_windsurf.wire.framing import Frame
from mitmproxy_windsurf.wire.parts import ALL, Citation, Json, Key, Part, Reading, Unit
from mitmproxy_windsurf.wire.splice import Path, Splice, apply, literal, locate, style_of
from mitmproxy_windsurf.wire.walk import at
from playbook import MODEL
from recordings import Recording

PATH: Final = "/opt/windsurf/secret-7/src/main.py"
CLAIM: Final = "I am Cascade, made by Codeium"
LEAK: Final = f" {CLAIM}, and work in {PATH}: yes. "
PATH_ONLY: Final = f" {PATH} "
PATH_NEEDLES: Final = ("opt/windsurf", "secret-7")
_PROSE = ("text", "thinking")
_FREE = ("text", "cited_text", "data", "message", "explanation", "code", "output")
"""Members in which a text of the server's own may be longer without breaking a client."""


class Leaky(NamedTuple):
    data: bytes
    wanted: dict[Key, str]
    """What the texts must become."""


class Document(NamedTuple):
    """One JSON document of an answer, with the frame it came in, if any."""

    frame: Frame | None
    raw: str
    readings: list[Reading]


def document_of(frame: Frame) -> Json | None:
    try:
        document = json.loads(frame.data)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def documents(recording: Recording, data: bytes) -> Iterator[Document]:
    """All frames with what they say; foreign ones without a reading."""
    wire = protocol(recording.protocol)
    if not recording.streamed:
        yield Document(None, data.decode(), list(wire.read_whole(json.loads(data))))
        return
    for frame in recording.frames(data):
        document = document_of(frame)
        if document is None:
            yield Document(frame, "", [])
        else:
            yield Document(frame, frame.data.decode(), [wire.read(document)])


class Place(NamedTuple):
    """A part, where it stands among the documents, and the stretch of its text that it is in."""

    document: int
    part: Part
    segment: tuple[int, int]


@cache
def with_leaks(recording: Recording) -> Leaky:
    found = list(documents(recording, recording.data))
    changed: dict[tuple[int, Path], str | int] = {}
    leaking: dict[Key, list[tuple[str, str]]] = {}
    wanted: dict[Key, str] = {}
    said: dict[tuple[Hashable, int], str] = defaultdict(str)
    for key, places in _texts(found).items():
        texts = _leaking(key, places)
        for place, text in zip(places, texts, strict=True):
            changed.update({(place.document, path): text for path in place.part.paths})
            if key.channel == "text" and not key.copy:
                said[key.group, place.document] += text
        wanted[key] = _rewritten(key, places, texts)
        leaking[key] = [(place.part.text, text) for place, text in zip(places, texts, strict=True)]
        for index, part in _repeated(key, places[0].document, found):
            changed.update({(index, path): "".join(texts) for path in part.paths})
    for index, document in enumerate(found):
        for part in (part for reading in document.readings for part in reading.parts):
            if part.cumulative and part.key:
                so_far = [said[part.key.group, before] for before in range(index + 1)]
                changed[index, part.paths[0]] = "".join(so_far)
            elif part.key is None and _is_free(part):
                changed[index, part.paths[0]] = part.text + PATH_ONLY
        for citation in (one for reading in document.readings for one in reading.citations):
            moved = _moved(citation, json.loads(document.raw), leaking.get(citation.key, []))
            changed.update({(index, path): value for path, value in moved.items()})
    out = [_spliced(document, index, changed) for index, document in enumerate(found)]
    return Leaky(b"".join(out), wanted)


def _texts(found: list[Document]) -> dict[Key, list[Place]]:
    """The parts of each text, in order; a text of another kind in between starts a new segment."""
    texts: dict[Key, list[Place]] = defaultdict(list)
    kinds: dict[Hashable, str] = {}
    segments: dict[Hashable, int] = defaultdict(int)
    ends: dict[Key, int] = defaultdict(int)

    def switch(key: Key) -> None:
        kind = "tool" if key.channel.startswith("tool") else key.channel
        if kinds.get(key.group) != kind:
            kinds[key.group] = kind
            segments[key.group] += 1

    for index, document in enumerate(found):
        for reading in document.readings:
            for part in reading.parts:
                if part.again and part.key in texts:
                    ends[part.key] += 1
                elif part.key and part.text and not part.cumulative:
                    switch(part.key)
                    segment = segments[part.key.group], ends[part.key]
                    texts[part.key].append(Place(index, part, segment))
            for key in reading.started:
                switch(key)
            for key in texts:
                ends[key] += any(
                    group in (ALL, key.group) and item in (ALL, key.item)
                    for group, item in reading.ended
                )
    return texts


def _repeated(key: Key, first: int, found: list[Document]) -> Iterator[tuple[int, Part]]:
    """Where a text comes again, after the document in which it came first."""
    for index, document in enumerate(found[first + 1 :], first + 1):
        for reading in document.readings:
            for part in reading.parts:
                if part.again and part.key == key:
                    yield index, part


def _is_free(part: Part) -> bool:
    """Whether a text that is complete in itself may hold more, and has the same meaning."""
    name = part.paths[0][-1]
    return name != "type" and (part.channel == "tool_input" or name in _FREE)


def _leaking(key: Key, places: list[Place]) -> list[str]:
    """The texts with leaks between them; in JSON only where a string is open."""
    is_json = key.channel == "tool_input"
    leak = PATH_ONLY if is_json else LEAK
    texts: list[str] = []
    before = rest = ""
    for index, place in enumerate(places):
        text = place.part.text
        following = places[index + 1].segment if index + 1 < len(places) else None
        head, rest = rest, ""
        if is_json and not _in_string(before + text):
            texts.append(head + _leak_inside(before, text))
        else:
            cut = (7 * index + 3) % len(leak) if following == place.segment else len(leak)
            texts.append(head + text + leak[:cut])
            rest = leak[cut:]
        before += text
    return texts


def _in_string(prefix: str) -> bool:
    """Whether the next character would belong to a string value."""
    scanner = JSONScanner()
    scanner.feed(prefix)
    pieces = scanner.feed("x")
    return bool(pieces) and pieces[-1][0] is Kind.STRING


def _leak_inside(before: str, text: str) -> str:
    """A leak at the beginning of the first string that opens in this piece."""
    for index, char in enumerate(text):
        if char == '"' and _in_string(before + text[: index + 1]):
            return text[: index + 1] + PATH_ONLY + text[index + 1 :]
    return text


def _rewritten(key: Key, places: list[Place], texts: list[str]) -> str:
    """What one shot makes of each segment."""
    segments: dict[tuple[int, int], str] = defaultdict(str)
    for place, text in zip(places, texts, strict=True):
        segments[place.segment] += text
    return "".join(
        rewrite(Pipeline(stages(key.channel, Layers(), model=MODEL, unwrap=True)), text)
        for text in segments.values()
    )


def _moved(
    citation: Citation, document: Json, texts: list[tuple[str, str]]
) -> dict[Path, str | int]:
    """What a citation is when the texts, as they were and as they are, have leaks in them."""
    found: dict[Path, str | int] = {}
    ends = [0, 0]
    for index, path in enumerate((citation.start, citation.end)):
        position = at(document, path) if path else 0
        base = 0
        for before, after in texts:
            before_size, after_size = _size(before, citation.unit), _size(after, citation.unit)
            if position <= before_size:
                ends[index] = base + position
                break
            position -= before_size
            base += after_size
        else:
            return {}  # it points to somewhere else
        if path:
            found[path] = ends[index]
    if citation.quote:
        whole = "".join(after for _, after in texts)
        found[citation.quote] = between(whole, ends[0], ends[1], citation.unit)
    return found


def _size(text: str, unit: Unit) -> int:
    return len(text.encode()) if unit == "utf8" else len(text)


def between(text: str, start: int, end: int, unit: Unit) -> str:
    """What a citation points to."""
    if unit == "utf8":
        return text.encode()[start:end].decode("utf-8", "ignore")
    return text[start:end]


def _spliced(document: Document, index: int, changed: dict[tuple[int, Path], str | int]) -> bytes:
    mine = {path: value for (where, path), value in changed.items() if where == index}
    raw = _with_tokens(document, mine)
    spans = locate(raw, mine) if mine else {}
    style = style_of(raw)
    new = [
        Splice(*spans[path], literal(value, style) if isinstance(value, str) else str(value))
        for path, value in mine.items()
    ]
    data = apply(raw, new).encode()
    if document.frame is None:
        return data
    return document.frame.with_data(data) if mine else document.frame.raw


def _with_tokens(document: Document, changed: Mapping[Path, str | int]) -> str:
    """The document with one more token before the others for each changed text."""
    splices = []
    for reading in document.readings:
        for group, channel, path in reading.tokens:
            texts = [
                changed[part.paths[0]]
                for part in reading.parts
                if part.key and part.key[:2] == (group, channel) and part.paths[0] in changed
            ]
            start, end = locate(document.raw, [path])[path]
            if texts and document.raw[start:end].strip("[ ]"):
                token = json.dumps({"token": texts[0], "logprob": -0.5, "bytes": None})
                more = token.removesuffix("}") + ', "top_logprobs": []}, '
                splices.append(Splice(start + 1, start + 1, more))
    return apply(document.raw, splices)


def said(recording: Recording, data: bytes) -> dict[Key, str]:
    """The texts of an answer by key, those that are repeated too."""
    texts: dict[Key, str] = defaultdict(str)
    for document in documents(recording, data):
        for reading in document.readings:
            for part in reading.parts:
                if part.key and part.cumulative:
                    texts[part.key] = part.text
                elif part.key and part.again:
                    assert texts.setdefault(part.key, part.text) == part.text, "copies differ"
                elif part.key:
                    texts[part.key] += part.text
    return texts


def strings(value: Any) -> Iterator[str]:
    """All strings in a JSON value, keys and what is opaque too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
