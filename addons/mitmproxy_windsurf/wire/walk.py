"""Walks that every protocol needs: all strings of a value, text blocks, tool descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mitmproxy_windsurf.wire.parts import Channel, Json, Part, Prompt, Target
from mitmproxy_windsurf.wire.splice import Path

OPAQUE = frozenset(
    {
        "signature",
        "thoughtSignature",
        "data",
        "encrypted_content",
        "encrypted_index",
        "id",
        "tool_use_id",
        "file_id",
    }
)
"""Members that are never looked into: signatures and ciphertexts break when a byte changes, ids are
no text. Only the `data` of an object whose `type` is "text" is one."""


def at(value: Any, path: Path) -> Any:
    """What stands at `path`, or None."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def elements(value: Any, path: Path) -> list[Any]:
    """The elements of the array at `path`; none if there is something else."""
    found = at(value, path)
    return found if isinstance(found, list) else []


def strings(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """All strings in a JSON value with their paths, except keys and what is opaque."""
    pending: list[tuple[Path, Any]] = [(path, value)]
    while pending:
        where, item = pending.pop()
        if isinstance(item, str):
            yield where, item
        elif isinstance(item, dict):
            opaque = OPAQUE - {"data"} if item.get("type") == "text" else OPAQUE
            pending.extend(
                ((*where, key), item[key]) for key in reversed(item) if key not in opaque
            )
        elif isinstance(item, list):
            pending.extend(((*where, index), item[index]) for index in reversed(range(len(item))))


def loose_parts(channel: Channel, value: Any, path: Path) -> Iterable[Part]:
    """Every string in `value` as a part that is complete in itself."""
    return (Part(channel, text, (where,)) for where, text in strings(value, path))


def text_blocks(
    target: Target, value: Any, path: Path, place: str, *, types: Sequence[str | None]
) -> Iterator[Prompt]:
    """A prompt that is a string or an array of text blocks; runs of adjacent text blocks belong
    together."""
    if isinstance(value, str):
        yield Prompt(target, (value,), (path,), (None,), place)
    elif isinstance(value, list):
        run: list[int] = []
        for index in range(len(value) + 1):
            block = value[index] if index < len(value) else None
            if (
                isinstance(block, dict)
                and block.get("type") in types
                and isinstance(block.get("text"), str)
            ):
                run.append(index)
            elif run:
                yield Prompt(
                    target,
                    tuple(value[i]["text"] for i in run),
                    tuple((*path, i, "text") for i in run),
                    tuple((*path, i) for i in run),
                    place,
                )
                run = []


_SCHEMA_MAPS = (
    "properties",
    "$defs",
    "defs",  # Gemini, which takes snake_case too
    "definitions",
    "patternProperties",
    "dependentSchemas",
)
_SCHEMA_LISTS = ("anyOf", "any_of", "oneOf", "allOf", "prefixItems", "prefix_items")
_SCHEMAS = (
    "items",
    "additionalItems",
    "additionalProperties",
    "additional_properties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
)
_DESCRIBING = ("description", "title")


def described(value: Json, path: Path, place: str, schemas: Sequence[str]) -> Iterator[Prompt]:
    """The description of a tool and all descriptions in its JSON Schemas, which are the members
    named `schemas`.

    Names of properties, enums, defaults and examples are no descriptions.
    """
    yield from _description(value, path, place)
    pending = [((*path, key), value[key]) for key in schemas if isinstance(value.get(key), dict)]
    while pending:
        where, schema = pending.pop()
        yield from _description(schema, where, place)
        children: list[tuple[Path, Any]] = [
            ((*where, key), schema[key]) for key in _SCHEMAS if key in schema
        ]
        for key in _SCHEMA_MAPS:
            if isinstance(schema.get(key), dict):
                children += [((*where, key, name), child) for name, child in schema[key].items()]
        for key in _SCHEMA_LISTS:
            if isinstance(schema.get(key), list):
                children += [
                    ((*where, key, index), child) for index, child in enumerate(schema[key])
                ]
        pending += [
            (child_path, child) for child_path, child in children if isinstance(child, dict)
        ]


def _description(value: Json, path: Path, place: str) -> Iterator[Prompt]:
    for key in _DESCRIBING:
        text = value.get(key)
        if isinstance(text, str):
            yield Prompt("tools", (text,), ((*path, key),), (None,), place)
