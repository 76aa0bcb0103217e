"""The content of Responses items as the parts of a chat message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mitmproxy_windsurf.upstream.translate.chat_message import file_part, image_part, text_part
from mitmproxy_windsurf.upstream.translate.checks import inside, record, records, text
from mitmproxy_windsurf.upstream.translate.model import Json, Refused

_NO_FILES = "the backend keeps no files; send what is in it"


def parts(content: Any, place: str) -> list[Json]:
    """The parts of a content that is a string or an array of parts.

    Raises:
        Refused: a part that chat has no words for.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [text_part(content)]
    return [_part(part, where) for where, part in records(content, place)]


def _part(part: Json, place: str) -> Json:
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _PARTS:
        raise Refused(inside(place, "type"), f"a part of type {kind!r} cannot be passed on")
    return _PARTS[kind](part, place)


def _text(part: Json, place: str) -> Json:
    return text_part(text(part, "text", place))


def _refusal(part: Json, place: str) -> Json:
    return text_part(text(part, "refusal", place))


def _image(part: Json, place: str) -> Json:
    if part.get("image_url") is None:
        raise Refused(inside(place, "file_id"), _NO_FILES)
    image = image_part(text(part, "image_url", place))
    if isinstance(part.get("detail"), str):
        image["image_url"]["detail"] = part["detail"]
    return image


def _file(part: Json, place: str) -> Json:
    for reference in ("file_id", "file_url"):
        if part.get(reference) is not None:
            raise Refused(inside(place, reference), _NO_FILES)
    name = part.get("filename")
    return file_part(name if isinstance(name, str) else "file", text(part, "file_data", place))


def _audio(part: Json, place: str) -> Json:
    audio = record(part.get("input_audio"), inside(place, "input_audio"))
    return {"type": "input_audio", "input_audio": audio}


_PARTS: dict[str, Callable[[Json, str], Json]] = {
    "input_text": _text,
    "output_text": _text,
    "text": _text,
    "summary_text": _text,
    "reasoning_text": _text,
    "refusal": _refusal,
    "input_image": _image,
    "input_file": _file,
    "input_audio": _audio,
}
