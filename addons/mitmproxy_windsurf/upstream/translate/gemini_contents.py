"""The contents of a Gemini request as chat messages.

A call and its response often have no id here: they belong together by name and order.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from typing import Any

from mitmproxy_windsurf.upstream.translate.chat_message import (
    assistant,
    content_of,
    file_part,
    image_part,
    text_part,
    tool_call,
    tool_result,
)
from mitmproxy_windsurf.upstream.translate.checks import array
from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.wire.gemini_members import Member, Members, members

_AUDIO = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
_BESIDE = ("thought", "thoughtsignature", "videometadata", "partmetadata", "mediaresolution")
"""Members of a part that say something of what it holds."""

_RESULTS = (["output"], ["error"], ["content"], ["result"])
"""What a response has for its one member if that is all there is to it. Of `output` and `error`
Google says so; the AI SDK puts its results into `content`."""


def messages(body: Members) -> list[Json]:
    """The system prompt and all contents.

    Raises:
        Refused: a content that cannot be said in chat.
    """
    found: list[Json] = []
    instruction = body["systeminstruction"]
    if system := [*_parts(instruction.value, instruction.name)]:
        found.append({"role": "system", "content": content_of(system)})
    contents = body["contents"]
    given = contents.value if isinstance(contents.value, list) else [contents.value]
    calls = _Calls()
    for index, content in enumerate(given):
        place = f"{contents.name}[{index}]"
        role = members(content)["role"].value or "user"
        match role:
            case "user" | "function" | "tool":
                found += _user(content, place, calls)
            case "model":
                found += _model(content, place, calls)
            case "system":
                found.append({"role": "system", "content": content_of(_parts(content, place))})
            case _:
                raise Refused(f"{place}.role", f"{role!r} is none of user and model")
    if not contents.value:
        raise Refused("contents", "at least one content is required")
    return found


class _Calls:
    """Which call a response belongs to."""

    def __init__(self) -> None:
        self._count = 0
        self._open: list[tuple[str, str]] = []

    def begin(self, id: Any, name: str) -> str:
        """The id of a call."""
        self._count += 1
        known = str(id) if id else f"call_{self._count}"
        self._open.append((known, name))
        return known

    def end(self, id: Any, name: str) -> str:
        """The id of the call that is answered now: the first of this id or else of this name."""
        by_id = [call for call in self._open if call[0] == id]
        by_name = [call for call in self._open if call[1] == name]
        for call in (by_id or by_name)[:1]:
            self._open.remove(call)
            return call[0]
        return str(id) if id else self.begin(None, name)


def _user(content: Any, place: str, calls: _Calls) -> Iterator[Json]:
    rest: list[Json] = []
    responses = 0
    for where, part in _listed(content, place):
        response = part["functionresponse"]
        if isinstance(response.value, dict):
            responses += 1
            message, files = _result(members(response.value), f"{where}.{response.name}", calls)
            rest += files
            yield message
        else:
            rest += _said(part, where)
    if rest or not responses:
        yield {"role": "user", "content": content_of(rest)}


def _model(content: Any, place: str, calls: _Calls) -> Iterator[Json]:
    said: list[Json] = []
    thoughts: list[str] = []
    made: list[Json] = []
    for where, part in _listed(content, place):
        call = part["functioncall"]
        if isinstance(call.value, dict):
            made.append(_call(members(call.value), f"{where}.{call.name}", calls))
        elif part["thought"].value is True:
            thoughts += [text for text in [part["text"].value] if isinstance(text, str)]
        else:
            said += _said(part, where)
    if said or thoughts or made:
        yield assistant(said, thoughts, made)


def _call(call: Members, place: str, calls: _Calls) -> Json:
    name = _string(call["name"], f"{place}.name")
    arguments = call["args"].value
    if not isinstance(arguments, dict | None):
        raise Refused(f"{place}.args", "has to be an object")
    return tool_call(calls.begin(call["id"].value, name), name, _json(arguments or {}))


def _result(response: Members, place: str, calls: _Calls) -> tuple[Json, list[Json]]:
    """The message with a response, and what of it has to come after."""
    name = _string(response["name"], f"{place}.name")
    given = response["response"].value
    known = [key for key in given if key != "name"] if isinstance(given, dict) else []
    value = given[known[0]] if known in _RESULTS else given
    found = [text_part(value if isinstance(value, str) else _json(value))]
    for where, part in _listed({"parts": response["parts"].value}, place):
        found += _said(part, where)
    id = calls.end(response["id"].value, name)
    return tool_result(id, found, failed=known == ["error"])


def _parts(content: Any, place: str) -> Iterator[Json]:
    for where, part in _listed(content, place):
        yield from _said(part, where)


def _listed(content: Any, place: str) -> Iterator[tuple[str, Members]]:
    """The parts of a content, which may also be a string or one part."""
    if isinstance(content, str):
        content = {"parts": [{"text": content}]}
    if not isinstance(content, dict | None):
        raise Refused(place, "has to be an object")
    parts = members(content)["parts"]
    if isinstance(parts.value, dict):
        yield f"{place}.{parts.name}", members(parts.value)
        return
    for index, part in enumerate(array(parts.value, f"{place}.parts")):
        where = f"{place}.{parts.name}[{index}]"
        if not isinstance(part, dict | str):
            raise Refused(where, "has to be an object")
        yield where, members({"text": part} if isinstance(part, str) else part)


def _said(part: Members, place: str) -> list[Json]:
    """What a part says; one that holds nothing says nothing."""
    for name, member in part.items():
        if member.value is None or name in _BESIDE:
            continue
        if name not in _PARTS:
            raise Refused(f"{place}.{member.name}", "cannot be passed to the backend")
        return _PARTS[name](member.value, f"{place}.{member.name}")
    return []


def _text(value: Any, place: str) -> list[Json]:
    if not isinstance(value, str):
        raise Refused(place, "has to be a string")
    return [text_part(value)] if value else []


def _inline(value: Any, place: str) -> list[Json]:
    blob = members(value)
    kind = str(blob["mimetype"].value or "")
    data = _string(blob["data"], f"{place}.data").replace("-", "+").replace("_", "/")
    if kind in _AUDIO:
        audio = {"data": data, "format": _AUDIO[kind]}
        return [{"type": "input_audio", "input_audio": audio}]
    if kind.startswith("text/"):
        return [text_part(_decoded(data, f"{place}.data"))]
    url = f"data:{kind};base64,{data}"
    if kind.startswith("image/"):
        return [image_part(url)]
    name = blob["displayname"].value
    return [file_part(name if isinstance(name, str) and name else "file", url)]


def _file(value: Any, place: str) -> list[Json]:
    file = members(value)
    uri, kind = _string(file["fileuri"], f"{place}.fileUri"), file["mimetype"].value
    web = uri.startswith(("https://", "http://", "data:"))
    if web and isinstance(kind, str) and kind.startswith("image/"):
        return [image_part(uri)]
    raise Refused(f"{place}.fileUri", "the backend cannot fetch this; send it as inlineData")


def _code(value: Any, place: str) -> list[Json]:
    code = members(value)
    language = str(code["language"].value or "").lower()
    return [text_part(f"```{language}\n{code['code'].value or ''}\n```")]


def _output(value: Any, place: str) -> list[Json]:
    return [text_part(f"```\n{members(value)['output'].value or ''}\n```")]


_PARTS: dict[str, Callable[[Any, str], list[Json]]] = {
    "text": _text,
    "inlinedata": _inline,
    "filedata": _file,
    "executablecode": _code,
    "codeexecutionresult": _output,
}


def _string(member: Member, place: str) -> str:
    if not isinstance(member.value, str):
        raise Refused(place, "has to be a string")
    return member.value


def _decoded(data: str, place: str) -> str:
    try:
        return base64.b64decode(data).decode("utf-8", "replace")
    except (binascii.Error, ValueError) as error:
        raise Refused(place, "is no base64") from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
