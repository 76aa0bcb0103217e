"""Texts from the wire on a terminal: short, harmless, without keys."""

from __future__ import annotations

from collections.abc import Iterator

from mitmproxy_windsurf.debug.keys import censor
from mitmproxy_windsurf.text.edits import excerpt


def harmless(text: str) -> str:
    """The text with everything escaped that does not print, line ends and tabs apart."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text
    )


def quoted(text: str, mark: str) -> Iterator[str]:
    """An excerpt of the text, each of its lines behind a mark."""
    for line in harmless(excerpt(censor(text))).split("\n"):
        yield f"{mark} {line}".rstrip()


def on_one_line(text: str, limit: int = 120) -> str:
    """The beginning of a text, quoted, with its line ends escaped."""
    text = harmless(censor(text[: 4 * limit])).replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text[:limit]}{"…" if len(text) > limit else ""}"'


def count(number: int, thing: str) -> str:
    """Such as "1 edit" or "1,204 edits"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
