"""Reading packs of rules from TOML files; messages name the file, the rule and the key."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mitmproxy_windsurf.prompts.rules import PackError, Rule, RulePack
from mitmproxy_windsurf.prompts.schema import WrongKey, read_rule

MAX_BYTES = 1_000_000
SHIPPED = Path(__file__).parent / "packs"


def load_packs(paths: Iterable[Path] | None = None) -> tuple[RulePack, ...]:
    """The rules of these files; of the shipped ones if none are named.

    Raises:
        PackError: a file cannot be used.
    """
    return tuple(map(load_pack, sorted(SHIPPED.glob("*.toml")) if paths is None else paths))


def load_pack(path: Path) -> RulePack:
    """The rules of a file.

    Raises:
        PackError: the file cannot be used.
    """
    return parse_pack(_read(path), str(path))


def parse_pack(text: str, path: str) -> RulePack:
    """The rules of a file's text; `path` is what messages call it."""
    document = _toml(text, path)
    tables = document.pop("rule", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise PackError([f"{path}: 'rule' must be written as [[rule]] tables"])
    problems = [f"{path}: {key!r} is no key here: use [[rule]] tables" for key in document]
    rules: dict[str, Rule] = {}
    for number, table in enumerate(tables, 1):
        try:
            rule = read_rule(table)
            if rules.setdefault(rule.id, rule) is not rule:
                raise WrongKey("id", "is used twice in this file: give each rule its own")
        except WrongKey as wrong:
            problems.append(f"{path}: rule {table.get('id', number)!r}: {wrong}")
    if problems:
        raise PackError(problems)
    return RulePack(path, tuple(rules.values()))


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PackError([f"{path}: cannot be read: {error.strerror or error}"]) from error
    if len(data) > MAX_BYTES:
        raise PackError([f"{path}: has {len(data):,} bytes, {MAX_BYTES:,} are allowed"])
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PackError([f"{path}: is not UTF-8 at byte {error.start}: save it as such"]) from error


def _toml(text: str, path: str) -> dict[str, Any]:
    try:
        import tomllib  # here and nowhere else: a standalone build has it only by luck
    except ImportError as error:
        raise PackError(
            [f"{path}: this mitmproxy was built without tomllib, use the one from PyPI"]
        ) from error
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PackError([f"{path}: is no TOML: {error}"]) from error
