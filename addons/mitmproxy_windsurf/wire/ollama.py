"""Ollama's own API: `POST /api/chat` and `/api/generate`.

Streamed as lines, unless the request says otherwise; the answer in one piece has the shape of a
line. Shapes as in ollama's api/types.go and in recordings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.wire.parts import (
    ALL,
    Channel,
    Extra,
    Json,
    Key,
    Part,
    Prompt,
    Reading,
    SignedThought,
)
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at, described, loose_parts, text_blocks

_ANSWER = 0
_IDENTITY = ("model", "created_at", "remote_model", "remote_host")
_RENDERED: Path = ("_debug_info", "rendered_template")


def prompts(body: Json) -> Iterator[Prompt]:
    """`system`, system messages, tools, the schema of the answer."""
    yield from text_blocks("system", body.get("system"), ("system",), "system", types=())
    for index, message in enumerate(_list(body, "messages")):
        role = message.get("role") if isinstance(message, dict) else None
        if isinstance(role, str) and role.lower() == "system":
            where: Path = ("messages", index, "content")
            place = f"messages[{index}]"
            yield from text_blocks("system", message.get("content"), where, place, types=())
    for index, tool in enumerate(_list(body, "tools")):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict):
            where = ("tools", index, "function")
            yield from described(function, where, f"tools[{index}]", ("parameters",))
    if isinstance(body.get("format"), dict):
        yield from described({"format": body["format"]}, (), "format", ("format",))


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """None: nothing is signed."""
    return iter(())


def read(document: Json) -> Reading:
    """One line."""
    reading = Reading()
    _texts(document, reading)
    calls, path = at(document, ("message", "tool_calls")), ("message", "tool_calls")
    for index, call in enumerate(calls if isinstance(calls, list) else ()):
        reading.started.append(Key(_ANSWER, "tool_input", index))
        arguments: Path = ("function", "arguments")
        reading.parts += loose_parts("tool_input", at(call, arguments), (*path, index, *arguments))
    if isinstance(document.get("logprobs"), list):
        reading.tokens.append((_ANSWER, "text", ("logprobs",)))
    if isinstance(rendered := at(document, _RENDERED), str):
        reading.echoes.append((_RENDERED, rendered))
    if document.get("done") is True:
        reading.ended.append((ALL, ALL))
    if document.get("error"):
        reading.parts += loose_parts("error", document["error"], ("error",))
        reading.broken = True
    return reading


def read_whole(document: Json) -> Iterator[Reading]:
    """The answer in one piece."""
    reading = read(document)
    reading.ended = [(ALL, ALL)]
    yield reading


def slot(document: Json, key: Key) -> Path | None:
    """None: a line has its text, if an empty one."""
    return None


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more line with this text."""
    head = {name: like[name] for name in _IDENTITY if name in like}
    chat = "message" in like
    own = "content" if chat else "response"
    texts = {own: "", "thinking" if key.channel == "thinking" else own: text}
    said: Json = {"message": {"role": "assistant", **texts}} if chat else texts
    return Extra(None, {**head, **said, "done": False})


def _list(body: Json, name: str) -> list[Any]:
    found = body.get(name)
    return found if isinstance(found, list) else []


def _texts(document: Json, reading: Reading) -> None:
    """Thinking and text, in the message of a chat or beside the rest."""
    message = document.get("message")
    said: Json = document
    path: Path = ()
    name = "response"
    if isinstance(message, dict):
        said, path, name = message, ("message",), "content"
    places: tuple[tuple[Channel, str], ...] = (("thinking", "thinking"), ("text", name))
    for channel, member in places:
        text = said.get(member)
        if isinstance(text, str):
            key = Key(_ANSWER, channel)
            reading.parts.append(Part(channel, text, ((*path, member),), key))
