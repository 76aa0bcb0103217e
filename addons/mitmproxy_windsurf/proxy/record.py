"""What is written on a flow: plain data in its metadata, one line of comment, a mark.

mitmproxy's own filters find the flows by it (`~marker`, `~comment`). The metadata is saved with the
flow, so it is nothing but text, numbers, bytes, lists and dicts, and all of it is capped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from mitmproxy import http

from mitmproxy_windsurf.proxy.logs import printable
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.text.edits import Edit, excerpt

KEY = "windsurf"
"""The name of our entry in `flow.metadata`."""

MAX_EDITS = 200
MAX_WARNINGS = 20
MAX_WARNING = 300

REWRITTEN, WARNED, BLOCKED = ":pencil2:", ":warning:", ":no_entry:"
WOULD_BE_REWRITTEN = ":eyes:"
"""In shadow mode."""

Side = Literal["request", "response"]


@dataclass
class Record:
    """The account of one exchange; the fields are the keys of the metadata."""

    protocol: str = ""
    kind: str = ""
    model: str | None = None
    client: str = ""
    destination: str = ""
    prefix: str = ""
    layers: list[str] = field(default_factory=list)
    shadow: bool = False
    switches: str = ""
    """What of the layers and rules was switched for this request alone."""
    edits: list[dict[str, Any]] = field(default_factory=list)
    edits_left_out: int = 0
    warnings: list[str] = field(default_factory=list)
    dedup: dict[str, int] | None = None
    """Characters dropped, duplicates that were kept."""
    blocked: str | None = None
    outcome: str | None = None
    request_bytes: list[int] | None = None
    response_bytes: list[int] | None = None
    original_request: bytes | None = None
    original_response: bytes | None = None

    def add_edits(self, side: Side, edits: Iterable[Edit], secrets: Secrets) -> None:
        """Edits of one rule at one place become one entry, with the excerpts of the first one."""
        found: dict[tuple[str, str, str], dict[str, Any]] = {}
        for edit in edits:
            identity = edit.layer, edit.rule, edit.place
            if identity not in found:
                found[identity] = _entry(side, edit, secrets)
            entry = found[identity]
            entry["count"] += 1
            entry["bytes_before"] += _size(edit.before)
            entry["bytes_after"] += _size(edit.after)
        room = MAX_EDITS - len(self.edits)
        self.edits += list(found.values())[:room]
        self.edits_left_out += max(0, len(found) - room)

    def add_dedup(self, edits: Iterable[Edit], kept: int) -> None:
        """Note what dedup did; `kept` counts duplicates that went out all the same."""
        dropped = sum(len(edit.before) for edit in edits if edit.layer == "dedup")
        if dropped or kept:
            self.dedup = {"dropped": dropped, "kept": kept}

    def add_warning(self, text: str, secrets: Secrets) -> bool:
        """Note a warning; False if it is known already, or one too many."""
        line = printable(secrets.cut(text), MAX_WARNING)
        if line in self.warnings or len(self.warnings) >= MAX_WARNINGS:
            return False
        self.warnings.append(line)
        return True

    def comment(self) -> str:
        """One line: "a1×1 a3×1 −75 B · paths×2 · dedup dropped 1,204"."""
        rules = _counts(entry for entry in self.edits if entry["side"] == "request")
        layers = _counts(
            (
                entry
                for entry in self.edits
                if entry["side"] == "response" and entry["layer"] != "dedup"
            ),
            by="layer",
        )
        if rules and self.request_bytes and self.request_bytes[0] != self.request_bytes[1]:
            rules += f" {_signed(self.request_bytes[1] - self.request_bytes[0])} B"
        done = " · ".join(part for part in (rules, layers, self._dedup()) if part)
        parts = [
            f"shadow, would have: {done}" if done and self.shadow else done,
            f"blocked: {self.blocked}" if self.blocked else "",
            f"{len(self.warnings)} warning{'s'[: len(self.warnings) > 1]}" if self.warnings else "",
        ]
        return " · ".join(part for part in parts if part)

    def _dedup(self) -> str:
        if not self.dedup:
            return ""
        parts = []
        if size := self.dedup["dropped"]:
            parts.append(f"dropped {size:,}")
        if self.dedup["kept"]:
            parts.append("kept the answer")
        return f"dedup {', '.join(parts)}"

    def mark(self) -> str:
        if self.blocked:
            return BLOCKED
        if self.warnings:
            return WARNED
        if not self.edits:
            return ""
        return WOULD_BE_REWRITTEN if self.shadow else REWRITTEN

    def write(self, flow: http.HTTPFlow) -> None:
        """Put the account on the flow; a comment or a mark of the user's stays."""
        before = flow.metadata.get(KEY)
        before = before if isinstance(before, dict) else {}
        entry = {name: getattr(self, name) for name in self.__dataclass_fields__}
        entry["comment"], entry["mark"] = self.comment(), self.mark()
        if flow.comment == before.get("comment", ""):
            flow.comment = entry["comment"]
        if flow.marked == before.get("mark", ""):
            flow.marked = entry["mark"]
        flow.metadata[KEY] = entry


def recorded(flow: http.HTTPFlow) -> dict[str, Any]:
    """What was written on a flow, maybe in another session; empty if nothing was."""
    found = flow.metadata.get(KEY)
    return found if isinstance(found, dict) else {}


def _entry(side: Side, edit: Edit, secrets: Secrets) -> dict[str, Any]:
    return {
        "side": side,
        "layer": edit.layer,
        "rule": edit.rule,
        "place": _savable(edit.place),
        "count": 0,
        "bytes_before": 0,
        "bytes_after": 0,
        "before": _savable(excerpt(secrets.cut(edit.before))),
        "after": _savable(excerpt(secrets.cut(edit.after))),
    }


def _savable(text: str) -> str:
    """JSON can hold lone surrogates; a flow that holds one cannot be saved."""
    return text.encode("utf-8", "replace").decode()


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _counts(entries: Iterable[dict[str, Any]], by: str = "rule") -> str:
    counts: dict[str, int] = {}
    for entry in entries:
        name = entry[by] or entry["rule"]
        counts[name] = counts.get(name, 0) + entry["count"]
    return " ".join(f"{name}×{count}" for name, count in counts.items())


def _signed(number: int) -> str:
    return f"{'−' if number < 0 else '+'}{abs(number):,}"
