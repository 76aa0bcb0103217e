"""The texts in an answer of Gemini, streamed and whole.

Shapes as in the official SDK, google-genai 3.6.1, and in recordings of the Developer API and of
Vertex AI. Gemini CLI with a Google account gets them inside of `response`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

from mitmproxy_windsurf.wire.gemini_members import Members, members
from mitmproxy_windsurf.wire.parts import ALL, Channel, Citation, Json, Key, Part, Reading
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import loose_parts

THOUGHT = "thought"
TRANSCRIPT = "transcript"
_CITATIONS = ("citations", "citationsources")


class Candidate(NamedTuple):
    """One of the answers in a document, and where it stands."""

    group: Hashable
    path: Path
    fields: Members


def read(document: Json) -> Reading:
    """One element of a stream."""
    path, fields = envelope(document)
    reading = Reading()
    for candidate in candidates(path, fields):
        for part in _parts(candidate):
            _part(part, candidate.group, reading)
        _surroundings(candidate, reading)
    _feedback(path, fields, reading)
    return reading


def read_whole(document: Json) -> Iterator[Reading]:
    """An answer that is not streamed, part by part as it would have been."""
    path, fields = envelope(document)
    for candidate in candidates(path, fields):
        for part in _parts(candidate):
            reading = Reading()
            _part(part, candidate.group, reading)
            yield reading
        reading = Reading()
        _surroundings(candidate, reading)
        reading.ended.append((candidate.group, ALL))
        yield reading
    reading = Reading(ended=[(ALL, ALL)])
    _feedback(path, fields, reading)
    yield reading


def envelope(document: Json) -> tuple[Path, Members]:
    """The members that make an answer and where they stand."""
    fields = members(document)
    inner = fields.get("response")
    if inner and "candidates" not in fields and isinstance(inner.value, dict):
        return (inner.name,), members(inner.value)
    return (), fields


def candidates(path: Path, fields: Members) -> Iterator[Candidate]:
    """The candidates among the members of an answer."""
    name, found = fields["candidates"]
    for position, candidate in enumerate(found if isinstance(found, list) else ()):
        inner = members(candidate)
        index = inner["index"].value
        group = index if isinstance(index, int) else position
        yield Candidate(group, (*path, name, position), inner)


class _Part(NamedTuple):
    """A part of a candidate's content; `late` are those behind a call."""

    path: Path
    fields: Members
    late: bool

    @property
    def signature(self) -> str:
        signature = self.fields["thoughtsignature"].value
        return signature if isinstance(signature, str) else ""


def _parts(candidate: Candidate) -> Iterator[_Part]:
    content_name, content = candidate.fields["content"]
    name, parts = members(content)["parts"]
    late = False
    for position, part in enumerate(parts if isinstance(parts, list) else ()):
        found = _Part((*candidate.path, content_name, name, position), members(part), late)
        yield found
        late = late or not _TOOLS.isdisjoint(found.fields)


def _part(part: _Part, group: Hashable, reading: Reading) -> None:
    """The texts of a part, which has one kind of content."""
    for kind, reader in _CONTENTS.items():
        if kind in part.fields:
            name, value = part.fields[kind]
            reader(value, part, (*part.path, name), group, reading)
    for kind, (channel, member) in _OF_THE_SERVER.items():
        if kind in part.fields:
            name, value = part.fields[kind]
            inner, text = members(value)[member]
            reading.parts += loose_parts(channel, text, (*part.path, name, inner))
            if kind in _TOOLS:
                reading.started.append(Key(group, channel))
    if part.signature and part.fields["thought"].value is True:
        key = Key(group, "thinking", THOUGHT)
        reading.signed.append((key, part.signature))
        reading.ended.append((group, THOUGHT))


def _text(text: Any, part: _Part, path: Path, group: Hashable, reading: Reading) -> None:
    """Text or a thought. An empty one can take more, unless it is there for its signature, or comes
    too late: what was held came before the call."""
    if not isinstance(text, str) or (not text and (part.signature or part.late)):
        return
    if part.fields["thought"].value is True:
        key = Key(group, "thinking", THOUGHT)
    else:
        key = Key(group, "text")
    reading.parts.append(Part(key.channel, text, (path,), key))


def _call(call: Any, part: _Part, path: Path, group: Hashable, reading: Reading) -> None:
    """A call that is whole, or a piece of one that is streamed, the last of which is empty."""
    fields = members(call)
    reading.started.append(Key(group, "tool_input"))
    if "args" in fields:
        name, args = fields["args"]
        reading.parts += loose_parts("tool_input", args, (*path, name))
    name, pieces = fields["partialargs"]
    for index, piece in enumerate(pieces if isinstance(pieces, list) else ()):
        _piece(members(piece), index, (*path, name, index), group, reading)
    if not fields:
        reading.ended.append((group, ALL))


def _piece(fields: Members, index: int, path: Path, group: Hashable, reading: Reading) -> None:
    """More of the string at a place in the arguments."""
    name, text = fields["stringvalue"]
    where = fields["jsonpath"].value
    key = Key(group, "tool_text", where if isinstance(where, str) else index)
    if isinstance(text, str):
        reading.parts.append(Part("tool_text", text, ((*path, name),), key))
    if fields["willcontinue"].value is not True:
        reading.ended.append((group, key.item))


def _transcript(spoken: Any, part: _Part, path: Path, group: Hashable, reading: Reading) -> None:
    name, text = members(spoken)["text"]
    if isinstance(text, str):
        key = Key(group, "refusal", TRANSCRIPT)
        reading.parts.append(Part("refusal", text, ((*path, name),), key))


_CONTENTS: dict[str, Callable[[Any, _Part, Path, Hashable, Reading], None]] = {
    "text": _text,
    "functioncall": _call,
    "audiotranscription": _transcript,
}
_OF_THE_SERVER: dict[str, tuple[Channel, str]] = {
    "executablecode": ("tool_text", "code"),
    "codeexecutionresult": ("result", "output"),
    "toolcall": ("tool_input", "args"),  # Gemini 3
    "toolresponse": ("result", "response"),
}
"""Calls of tools that the server runs, and what comes of them; they are always whole."""

_TOOLS = frozenset({"functioncall", "executablecode", "toolcall"})


def _surroundings(candidate: Candidate, reading: Reading) -> None:
    """What a candidate has beside its content."""
    group, path, fields = candidate
    for kind, reader in _SURROUNDINGS.items():
        if kind in fields:
            name, value = fields[kind]
            reader(value, (*path, name), group, reading)
    if fields["finishreason"].value:
        reading.ended.append((group, ALL))


def _explanation(text: Any, path: Path, group: Hashable, reading: Reading) -> None:
    reading.parts += loose_parts("refusal", text, path)


def _tokens(logprobs: Any, path: Path, group: Hashable, reading: Reading) -> None:
    for name, value in members(logprobs).values():
        if isinstance(value, list):
            reading.tokens.append((group, "text", (*path, name)))


def _grounding(metadata: Any, path: Path, group: Hashable, reading: Reading) -> None:
    """Sources, and which stretch of the answer rests on which, counted in bytes."""
    for kind, (name, value) in members(metadata).items():
        if kind != "groundingsupports":
            reading.parts += loose_parts("result", value, (*path, name))
            continue
        for index, support in enumerate(value if isinstance(value, list) else ()):
            inner, segment = members(support)["segment"]
            _cite(members(segment), (*path, name, index, inner), group, reading)


def _citations(metadata: Any, path: Path, group: Hashable, reading: Reading) -> None:
    """Sources that the answer repeats, and where; in bytes, as all positions at Google are."""
    for kind, (name, value) in members(metadata).items():
        if kind in _CITATIONS:
            for index, citation in enumerate(value if isinstance(value, list) else ()):
                _cite(members(citation), (*path, name, index), group, reading)
        reading.parts += loose_parts("result", value, (*path, name))


def _cite(fields: Members, path: Path, group: Hashable, reading: Reading) -> None:
    start, end, quote = (
        (*path, fields[kind].name) if kind in fields else None
        for kind in ("startindex", "endindex", "text")
    )
    if start or end or quote:
        reading.citations.append(Citation(Key(group, "text"), start, end, quote, "utf8"))


def _page(metadata: Any, path: Path, group: Hashable, reading: Reading) -> None:
    reading.parts += loose_parts("result", metadata, path)


_SURROUNDINGS: dict[str, Callable[[Any, Path, Hashable, Reading], None]] = {
    "finishmessage": _explanation,
    "logprobsresult": _tokens,
    "groundingmetadata": _grounding,
    "citationmetadata": _citations,
    "urlcontextmetadata": _page,
}


def _feedback(path: Path, fields: Members, reading: Reading) -> None:
    """Why there is no answer, or no more of one."""
    if "promptfeedback" in fields:
        name, feedback = fields["promptfeedback"]
        reading.parts += loose_parts("refusal", feedback, (*path, name))
    name, error = fields["error"]
    if error:
        reading.parts += loose_parts("error", error, (*path, name))
        reading.broken = True
