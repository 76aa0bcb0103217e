"""The parts of chat messages, as every client protocol needs them.

Text alone becomes one string: not every backend takes parts, least of all in system prompts and
tool results, and those that do join them by a line end as well (vLLM, llama.cpp).
"""

from __future__ import annotations

from collections.abc import Iterable

from mitmproxy_windsurf.upstream.translate.model import Json

FAILED = "Error: "
"""Chat cannot mark a result as an error, so its text has to."""

ELSEWHERE = "The result follows in the next message."


def text_part(said: str) -> Json:
    return {"type": "text", "text": said}


def image_part(url: str) -> Json:
    """An image by its URL, which may be a `data:` one."""
    return {"type": "image_url", "image_url": {"url": url}}


def file_part(name: str, data: str) -> Json:
    """A file; `data` is a `data:` URL."""
    return {"type": "file", "file": {"filename": name, "file_data": data}}


def content_of(found: Iterable[Json]) -> str | list[Json]:
    """What to put into a chat message."""
    found = list(found)
    if all(part["type"] == "text" for part in found):
        return "\n".join(part["text"] for part in found)
    return found


def assistant(said: list[Json], thoughts: Iterable[str], calls: list[Json]) -> Json:
    """What the model said before. Its reasoning goes back to it by the name that servers read."""
    message: Json = {
        "role": "assistant",
        "content": content_of(said) if said or not calls else None,
    }
    if thought := "\n".join(filter(None, thoughts)):
        message["reasoning_content"] = thought
    if calls:
        message["tool_calls"] = calls
    return message


def tool_call(id: str, name: str, arguments: str) -> Json:
    """A call that an assistant message makes; `arguments` is JSON text."""
    function = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def tool_result(call: str, found: list[Json], *, failed: bool = False) -> tuple[Json, list[Json]]:
    """The message with the result of a call, and what of it has to come after.

    Chat has text alone in tool messages: images and files follow in a user message, with the id of
    the call that they belong to.
    """
    said = [part for part in found if part["type"] == "text"]
    files = [part for part in found if part["type"] != "text"]
    if files:
        files.insert(0, text_part(f"From the result of the tool call {call}:"))
        said = said or [text_part(ELSEWHERE)]
    content = content_of(said)
    if failed:
        content = f"{FAILED}{content}"
    return {"role": "tool", "tool_call_id": call, "content": content}, files
