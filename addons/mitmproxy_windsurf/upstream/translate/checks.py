"""Looks at untrusted JSON; what has the wrong shape is refused by its place."""

from __future__ import annotations

from typing import Any

from mitmproxy_windsurf.upstream.translate.model import Json, Refused


def array(value: Any, place: str) -> list[Any]:
    """An array; none is empty."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Refused(place, "has to be an array")
    return value


def record(value: Any, place: str) -> Json:
    """An object; none is empty."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Refused(place, "has to be an object")
    return value


def records(value: Any, place: str) -> list[tuple[str, Json]]:
    """The objects in an array, with their places."""
    return [
        (f"{place}[{index}]", record(item, f"{place}[{index}]"))
        for index, item in enumerate(array(value, place))
    ]


def text(members: Json, name: str, place: str) -> str:
    """A string that has to be there."""
    value = members.get(name)
    if not isinstance(value, str):
        raise Refused(inside(place, name), "has to be a string")
    return value


def inside(place: str, name: str) -> str:
    """The place of a member."""
    return f"{place}.{name}" if place else name
