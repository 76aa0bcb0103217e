"""Gemini: `POST …/models/NAME:generateContent`, `:streamGenerateContent` and the routes that carry
the same body.

Shapes as in the official SDK, google-genai 3.6.1, Google's own examples, and recordings of the
Developer API, of Vertex AI and of what Gemini CLI sends; how answers are read stands in
`gemini_reading`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.wire.gemini_members import Members, members
from mitmproxy_windsurf.wire.gemini_reading import (
    TRANSCRIPT,
    candidates,
    envelope,
    read,
    read_whole,
)
from mitmproxy_windsurf.wire.parts import Extra, Json, Key, Prompt, SignedThought
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import described, text_blocks

__all__ = ["delta", "prompts", "read", "read_whole", "signed_thoughts", "slot"]

_NESTED = (
    "request",  # Code Assist; an element of a batch
    "generatecontentrequest",  # countTokens
    "batch",
    "inputconfig",
    "requests",
)
"""Members in which whole requests lie."""

_SCHEMAS = ("parameters", "parametersjsonschema", "response", "responsejsonschema")
_ANSWER_SCHEMAS = ("responseschema", "responsejsonschema")
_IDENTITY = ("modelversion", "responseid", "createtime", "traceid")


def prompts(body: Json) -> Iterator[Prompt]:
    """The system instruction, function declarations, schemas of the answer, and all of these in a
    request that lies inside of the body."""
    for fields, path in _bodies(body):
        if "systeminstruction" in fields:
            yield from _system(*fields["systeminstruction"], path)
        for name, index, tool in _elements(fields, "tools"):
            where = (*path, name, index)
            for inner, place, declaration in _elements(members(tool), "functiondeclarations"):
                yield from _described(
                    declaration, (*where, inner, place), f"tools[{index}]", _SCHEMAS
                )
        if "generationconfig" in fields:
            name, value = fields["generationconfig"]
            yield from _described(value, (*path, name), "generationConfig", _ANSWER_SCHEMAS)


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """Thoughts with a signature among the contents.

    A thought that follows another one is left out: it is the last piece of a text in several parts,
    all of which its signature signs.
    """
    for fields, path in _bodies(body):
        for name, index, content in _elements(fields, "contents"):
            before = False
            for inner, place, part in _elements(members(content), "parts"):
                found = members(part)
                text = found["text"]
                signature = found["thoughtsignature"].value
                thought = found["thought"].value is True
                alone, before = thought and not before, thought and not signature
                if alone and isinstance(signature, str) and _is_said(text.value):
                    where = (*path, name, index, inner, place, text.name)
                    yield SignedThought(text.value, signature, where)


def slot(document: Json, key: Key) -> Path | None:
    """None: an empty part that could take more is read as a part already."""
    return None


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more element with a part of this kind for the candidate."""
    path, fields = envelope(like)
    candidate: Json = {"content": {"parts": [_part(key, text)], "role": "model"}}
    numbered = any("index" in found.fields for found in candidates(path, fields))
    if numbered or key.group != 0:
        candidate["index"] = key.group
    document: Json = {"candidates": [candidate]}
    outside = members(like) if path else {}
    for kind in _IDENTITY:
        if kind in fields and kind not in outside:
            document[fields[kind].name] = fields[kind].value
    for step in path:
        document = {str(step): document}
    document |= {outside[kind].name: outside[kind].value for kind in _IDENTITY if kind in outside}
    return Extra(None, document)


def _part(key: Key, text: str) -> Json:
    if key.channel == "tool_text":
        piece: Json = {"jsonPath": key.item, "stringValue": text, "willContinue": True}
        return {"functionCall": {"partialArgs": [piece], "willContinue": True}}
    if key.item == TRANSCRIPT:
        return {"audioTranscription": {"text": text}}
    return {"text": text, "thought": True} if key.channel == "thinking" else {"text": text}


def _bodies(body: Any, path: Path = ()) -> Iterator[tuple[Members, Path]]:
    """The body itself, and those that lie in it."""
    if isinstance(body, list):
        for index, element in enumerate(body):
            yield from _bodies(element, (*path, index))
        return
    fields = members(body)
    if fields:
        yield fields, path
    for kind in _NESTED:
        if kind in fields:
            yield from _bodies(fields[kind].value, (*path, fields[kind].name))


def _elements(fields: Members, kind: str) -> Iterator[tuple[str, int, Any]]:
    """The name, and each index and element, of the array of this kind."""
    name, found = fields[kind]
    for index, element in enumerate(found if isinstance(found, list) else ()):
        yield name, index, element


def _system(name: str, instruction: Any, path: Path) -> Iterator[Prompt]:
    """A content with parts; handlers take a text as well."""
    where = (*path, name)
    if isinstance(instruction, dict):
        parts = members(instruction)["parts"]
        instruction, where = parts.value, (*where, parts.name)
    yield from text_blocks("system", instruction, where, "systemInstruction", types=(None,))


def _is_said(text: Any) -> bool:
    return isinstance(text, str) and text != ""


def _described(value: Any, path: Path, place: str, kinds: tuple[str, ...]) -> Iterator[Prompt]:
    if isinstance(value, dict):
        fields = members(value)
        yield from described(
            value, path, place, [fields[kind].name for kind in kinds if kind in fields]
        )
