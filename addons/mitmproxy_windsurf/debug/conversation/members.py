"""Members of JSON values that may be anything: what is not as expected counts as absent."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from mitmproxy_windsurf.debug.conversation.model import Block, Message, Tool

Json = dict[str, Any]


def mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[Json]:
    """The objects in an array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def first(value: Json, *keys: str) -> str:
    """The first of these members that is a text and not empty."""
    return next((text for key in keys if (text := string(value.get(key)))), "")


def number(value: Any, default: int = 0) -> int:
    """An index."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def parsed(value: Any) -> Any:
    """Arguments of a call: JSON in a text, a text that is no JSON, or JSON already."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value.strip() else {}
    except (ValueError, RecursionError):
        return value


def usage(value: Any, prefix: str = "") -> dict[str, int | float]:
    """The numbers in an account of tokens; of the details only those that say something."""
    found: dict[str, int | float] = {}
    for key, item in mapping(value).items():
        if isinstance(item, dict) and not prefix:
            found |= usage(item, f"{key}.")
        elif isinstance(item, (int, float)) and not isinstance(item, bool) and (item or not prefix):
            found[f"{prefix}{key}"] = item
    return found


def errors(value: Any) -> list[str]:
    """The errors in a member `error`, which vendors make a text, an object or an array."""
    if isinstance(value, list):
        return [line for item in value for line in errors(mapping(item).get("error", item))]
    if isinstance(value, str):
        return [value] if value else []
    kinds = [value.get(key) for key in ("type", "status", "code")] if mapping(value) else []
    kind = next((str(item) for item in kinds if item and isinstance(item, (str, int))), "")
    message = first(mapping(value), "message", "detail")
    if not message and isinstance(mapping(value).get("error"), (str, dict)):
        return errors(value["error"])
    line = ": ".join(part for part in (kind, message) if part)
    return [line] if line else []


def parameters(body: Json, shown: Collection[str]) -> dict[str, Any]:
    """The members of a request that are shown nowhere else."""
    return {key: value for key, value in body.items() if key not in shown}


def tool(value: Json, description: Any) -> Iterator[Tool]:
    """A declared tool; one that the vendor runs has no name but a type."""
    name = first(value, "name", "type")
    if name:
        lines = string(description).strip().splitlines()
        yield Tool(name, lines[0] if lines else "")


def texts(value: Any) -> list[Block]:
    """A prompt that is a text, or an array of texts and of objects that carry one."""
    if isinstance(value, str):
        return [Block("text", value)] if value else []
    found = [
        item if isinstance(item, str) else string(mapping(item).get("text"))
        for item in (value if isinstance(value, list) else ())
    ]
    return [Block("text", text) for text in found if text]


def speech(role: str, blocks: Iterable[Block], stop: str = "") -> list[Message]:
    """The message, unless there is nothing to it."""
    said = tuple(blocks)
    return [Message(role, said, stop)] if said or stop else []


def joined(blocks: Iterable[Block]) -> list[Block]:
    """Texts that follow upon each other as one: models and vendors cut them anywhere."""
    run: list[Block] = []
    found: list[Block] = []

    def end() -> None:
        if run:
            found.append(Block(run[0].kind, "".join(block.text for block in run)))
            run.clear()

    for block in blocks:
        if block.kind not in ("text", "thinking", "refusal"):
            end()
            found.append(block)
            continue
        if run and run[0].kind != block.kind:
            end()
        if block.text:
            run.append(block)
    end()
    return found


def other(kind: str, value: Json, *hidden: str) -> Block:
    """What has no place in the model, as it is."""
    rest = {key: item for key, item in value.items() if key not in {"type", *hidden}}
    return Block("other", name=kind or "unknown", data=rest)
