"""What was changed in a message: the rules that did it, and a unified diff.

Bodies are not compared as they are on the wire, where a request is one line and an answer hundreds
of fragments. A request is compared member by member, with its texts laid out in lines and long ones
broken after each sentence. An answer is compared as the conversation that it carries, so that it
makes no difference whether it was streamed.

The account is the one that `proxy.record` writes into a flow's metadata; it may come from a file
and from another version, so nothing in it is relied on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from mitmproxy_windsurf.debug.conversation import documents, read_answer
from mitmproxy_windsurf.debug.conversation.text import lines
from mitmproxy_windsurf.debug.line_diff import Hunk, hunks
from mitmproxy_windsurf.debug.outline import COMPARING, outline

Side = Literal["request", "response"]
Record = Mapping[str, Any]
Entry = Mapping[str, Any]

LONGEST = 2000
"""Lines of a diff that are shown."""

TELLING = 40
"""Characters of an excerpt that tell where it comes from."""

_NAMES: dict[Side, tuple[str, str, str]] = {
    "request": ("the request", "what the client sent", "what went to the upstream"),
    "response": ("the answer", "what the upstream sent", "what went to the client"),
}


def changes(
    record: Record, side: Side, sent: bytes, *, cut: Callable[[str], str] = lambda text: text
) -> str:
    """The account of one message as text.

    `sent` is the body that went out, decoded. `cut` takes keys out of a text, as it was done for
    the originals in the record.
    """
    entries = edits_of(record, side)
    title, old_name, new_name = _NAMES[side]
    original = record.get(f"original_{side}")
    sizes = record.get(f"{side}_bytes")
    found = list(_summary(record, title, entries, sizes))
    if not record.get("shadow") and isinstance(original, bytes):
        diff = difference(record, side, original, sent, cut=cut)
        found += ["", f"--- {old_name}", f"+++ {new_name}", *diff]
    elif entries:
        if sizes:
            found += [
                "",
                "# The original was not kept: it is larger than windsurf_keep_originals, or that",
                "# is 0. These are excerpts from the single changes.",
            ]
        found += _excerpts(entries)
    return cut("\n".join(found)).encode("utf-8", "replace").decode()


def edits_of(record: Record, side: Side) -> list[Entry]:
    """The entries of the record that tell of changes in one message."""
    entries = record.get("edits")
    return [
        entry
        for entry in (entries if isinstance(entries, (list, tuple)) else ())
        if isinstance(entry, dict) and entry.get("side") == side
    ]


def difference(
    record: Record,
    side: Side,
    original: bytes,
    sent: bytes,
    *,
    cut: Callable[[str], str] = lambda text: text,
) -> list[str]:
    """The hunks of the diff, each with the section that it is in and the rules that made it."""
    old, new = _comparable(record, side, original), _comparable(record, side, sent)
    if old == new:
        old, new = _members(original), _members(sent)
    old, new = list(map(cut, old)), list(map(cut, new))
    entries = edits_of(record, side)
    found: list[str] = []
    for hunk in hunks(old, new):
        rules = dict.fromkeys(str(entry.get("rule")) for entry in entries if _made(entry, hunk))
        title = " · ".join(part for part in (_section(old, hunk), ", ".join(rules)) if part)
        found += hunk.text(title)
        if len(found) > LONGEST:
            return [*found[:LONGEST], "# … the rest is left out, it is too long …"]
    return found or ["# The texts are the same, only the bytes around them differ."]


def _summary(record: Record, title: str, entries: Sequence[Entry], sizes: Any) -> Iterator[str]:
    """Comment lines: what was done, in one line, and in one line per rule and place."""
    if not entries and not sizes:
        yield f"# Nothing was changed in {title}."
        return
    if record.get("shadow"):
        yield f"# Nothing was changed in {title} (windsurf_shadow); this would have been:"
    elif isinstance(sizes, (list, tuple)) and [*map(type, sizes)] == [int, int]:
        before, after = sizes
        change = f"{before:,} → {after:,} bytes, {_signed(after - before)}"
        yield f"# Changed in {title}: {change}"
    else:
        yield f"# Changed in {title}:"
    yield from (f"#   {line}".rstrip() for line in _table(map(_row, entries)))
    left_out = record.get("edits_left_out")
    if isinstance(left_out, int) and left_out:
        yield f"#   and {left_out:,} more on this flow, which were not noted"


def _row(entry: Entry) -> tuple[str, ...]:
    change = _number(entry, "bytes_after") - _number(entry, "bytes_before")
    count = f"×{_number(entry, 'count')}"
    words = (str(entry.get(key) or "") for key in ("rule", "layer", "place"))
    return (*words, count, f"{_signed(change)} B")


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    found = list(rows)
    widths = [max(map(len, column)) for column in zip(*found, strict=True)]
    for row in found:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))


def _excerpts(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        where = " · ".join(str(entry[key]) for key in ("place", "rule") if entry.get(key))
        yield ""
        yield f"@@ {where} @@"
        for sign, key in (("-", "before"), ("+", "after")):
            text = str(entry.get(key) or "")
            yield from (f"{sign}{line}" for line in text.split("\n") if text)


def _comparable(record: Record, side: Side, body: bytes) -> list[str]:
    if side == "response":
        reading = read_answer(str(record.get("protocol")), body)
        if not reading.conversation.empty:
            return lines(reading.conversation, COMPARING)
    return _members(body)


def _members(body: bytes) -> list[str]:
    """All that is in the JSON of a body, or the lines of one that is no JSON."""
    found, _ = documents(body)
    if not found:
        return body.decode("utf-8", "replace").split("\n")
    return outline(found[0] if len(found) == 1 else found, COMPARING)


def _section(old: Sequence[str], hunk: Hunk) -> str:
    """The last line at the left margin before the first change: the key that all of it is in."""
    ahead = next(index for index, (sign, _) in enumerate(hunk.lines) if sign != " ")
    for line in reversed(old[: hunk.old_start - 1 + ahead]):
        if line and not line.startswith((" ", "- ")):
            return line.partition(": ")[0].removesuffix(":")
    return ""


def _made(entry: Entry, hunk: Hunk) -> bool:
    """Whether a hunk shows this change, as far as the excerpts tell."""
    before, after = str(entry.get("before") or ""), str(entry.get("after") or "")
    removed, added = _squeezed(" ".join(hunk.removed)), _squeezed(" ".join(hunk.added))
    if before:
        return _squeezed(before)[:TELLING] in removed and _squeezed(after)[:TELLING] in added
    return bool(after) and _squeezed(after)[:TELLING] in added


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _number(entry: Entry, key: str) -> int:
    value = entry.get(key)
    return value if isinstance(value, int) else 0


def _signed(number: int) -> str:
    return f"{'−' if number < 0 else '+'}{abs(number):,}" if number else "±0"
