"""What can be left out of a request: tools, and pieces of its prompts and descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mitmproxy_windsurf.debug.bisect.pieces import clauses
from mitmproxy_windsurf.debug.bisect.tools import declared_tools, removable_tools
from mitmproxy_windsurf.wire.detect import protocol, shape
from mitmproxy_windsurf.wire.parts import Json, Target
from mitmproxy_windsurf.wire.splice import Path


@dataclass(frozen=True, slots=True)
class Unit:
    """Characters `start` to `end` of the text at `path`; without a target it is the tool there,
    which is to say its name, its schema and its being there.

    A piece of a removable tool's description keeps the `tool`, too.
    """

    path: Path
    target: Target | None = None
    start: int = 0
    end: int = 0
    tool: Path | None = None


def units_of(protocol_name: str, body: Json) -> list[Unit]:
    """The units in the order in which they are cut: prompts, then each tool before its texts.

    Raises:
        KeyError: no such protocol.
    """
    texts = [
        (path, prompt.target, text)
        for prompt in protocol(shape(protocol_name, body)).prompts(body)
        for path, text in zip(prompt.paths, prompt.texts, strict=True)
        if text.strip()
    ]
    tools = {tool.path: list[Unit]() for tool in removable_tools(body)}
    units: list[Unit] = []
    for path, target, text in texts:
        tool = next((path[:cut] for cut in range(len(path)) if path[:cut] in tools), None)
        found = units if tool is None else tools[tool]
        found += (Unit(path, target, start, end, tool) for start, end in clauses(text))
    for path, pieces in tools.items():
        units += [Unit(path, tool=path), *pieces]
    return units


def without(units: Iterable[Unit], gone: Iterable[Unit]) -> list[Unit]:
    """The units but for some; a tool goes with its texts."""
    gone = set(gone)
    tools = {unit.path for unit in gone if not unit.target}
    return [unit for unit in units if unit not in gone and unit.tool not in tools]


def place_of(body: Json, path: Path) -> str:
    """A path for people, with the name of the tool that it leads into."""
    names = {tool.path: tool.name for tool in declared_tools(body)}
    return "".join(_steps(path, names)).removeprefix(".")


def _steps(path: Path, names: dict[Path, str]) -> Iterator[str]:
    for depth, step in enumerate(path, 1):
        yield f"[{step}]" if isinstance(step, int) else f".{step}"
        if path[:depth] in names:
            yield f" ({names[path[:depth]]})"
