"""The content of Anthropic messages as the parts of a chat message."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from mitmproxy_windsurf.upstream.translate.chat_message import file_part, image_part, text_part
from mitmproxy_windsurf.upstream.translate.checks import record, records, text
from mitmproxy_windsurf.upstream.translate.model import Json, Refused

_PLAIN = ("text", "image")
"""What may stand inside a document or a search result."""


def parts(content: Any, place: str, kinds: Collection[str] = ()) -> list[Json]:
    """The parts of a content that is a string or an array of blocks, of these kinds or of any.

    Raises:
        Refused: a block that chat has no words for.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [text_part(content)]
    return [
        part
        for where, block in records(content, place)
        for part in block_parts(block, where, kinds)
    ]


def block_parts(block: Json, place: str, kinds: Collection[str] = ()) -> list[Json]:
    """The parts of one block."""
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in (kinds or _BLOCKS):
        raise Refused(f"{place}.type", f"a block of type {kind!r} cannot be passed to the backend")
    return _BLOCKS[kind](block, place)


def _text(block: Json, place: str) -> list[Json]:
    return [text_part(text(block, "text", place))]


def _image(block: Json, place: str) -> list[Json]:
    source = record(block.get("source"), f"{place}.source")
    match source.get("type"):
        case "base64":
            url = _data_url(source, f"{place}.source")
        case "url":
            url = text(source, "url", f"{place}.source")
        case kind:
            raise Refused(f"{place}.source.type", f"an image by {kind!r} cannot be passed on")
    return [image_part(url)]


def _document(block: Json, place: str) -> list[Json]:
    source = record(block.get("source"), f"{place}.source")
    told = [block[name] for name in ("title", "context") if isinstance(block.get(name), str)]
    about = [text_part(said) for said in told]
    match source.get("type"):
        case "text":
            return [*about, text_part(text(source, "data", f"{place}.source"))]
        case "content":
            return about + parts(source.get("content"), f"{place}.source.content", _PLAIN)
        case "base64":
            title = block.get("title")
            name = title if isinstance(title, str) and title else "document.pdf"
            return [*about, file_part(name, _data_url(source, f"{place}.source"))]
        case kind:
            raise Refused(f"{place}.source.type", f"a document by {kind!r} cannot be passed on")


def _search_result(block: Json, place: str) -> list[Json]:
    about = [text_part(text(block, name, place)) for name in ("title", "source")]
    return about + parts(block.get("content"), f"{place}.content", _PLAIN)


def _tool_reference(block: Json, place: str) -> list[Json]:
    """The backend gets every tool at once, so all there is to say is which one was meant."""
    return [text_part(text(block, "tool_name", place))]


def _data_url(source: Json, place: str) -> str:
    return f"data:{text(source, 'media_type', place)};base64,{text(source, 'data', place)}"


_BLOCKS: dict[str, Callable[[Json, str], list[Json]]] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "search_result": _search_result,
    "tool_reference": _tool_reference,
}
