"""The layout keeps its promises: who imports whom, what can be imported, how long a module is.

The addon must load in mitmproxy's standalone binaries, which have only a part of the standard
library.
"""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "addons" / "mitmproxy_windsurf"
MODULES = sorted(PACKAGE.rglob("*.py"))
ALLOWED = {
    line
    for line in (Path(__file__).parent / "standalone_modules.txt").read_text("utf-8").split("\n")
    if line and not line.startswith("#")
}

# What each room may see of the others. It always sees itself.
ROOMS: dict[str, set[str]] = {
    "__init__": set(),
    "text": set(),
    "prompts": {"text"},
    "wire": set(),
    "rewriter": {"text", "prompts", "wire"},
    "upstream": {"text", "prompts", "wire", "rewriter"},
    "debug": {"text", "prompts", "wire", "rewriter"},
    "proxy": {"text", "prompts", "wire", "rewriter", "upstream", "debug"},
    "cli": {"text", "prompts", "wire", "rewriter", "upstream", "debug", "proxy"},
}


def room_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(module: Path) -> Iterator[str]:
    """Every module that `module` imports, wherever the statement stands, relative ones resolved."""
    home = ["mitmproxy_windsurf", *module.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) + 1 - node.level] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield source
            for alias in node.names:
                if is_module(f"{source}.{alias.name}"):
                    yield f"{source}.{alias.name}"


def is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_room_may_see(module: Path) -> None:
    room = room_of(module)
    assert room in ROOMS, "a new room: say in ROOMS what it may see"
    for name in imports(module):
        top, *rest = name.split(".")
        if top == "mitmproxy_windsurf":
            assert not rest or rest[0] in ROOMS[room] | {room}, f"{room} may not see {name}"
        elif top == "mitmproxy":
            assert room == "proxy", f"only proxy imports mitmproxy, not {room}"
        else:
            assert name in ALLOWED, f"{name} is not in every mitmdump, see standalone_modules.txt"


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(PACKAGE)))
def test_a_module_is_short(module: Path) -> None:
    assert len(module.read_text("utf-8").split("\n")) <= 301
