"""Log lines that are safe to print.

What came over the wire is escaped and short, so that it cannot forge a line or move the cursor.
Never logged: bodies, headers, query strings.
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any


class _Prefixed(logging.LoggerAdapter[logging.Logger]):
    """mitmproxy's log does not show who is speaking."""

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        return f"windsurf: {msg}", kwargs


log = _Prefixed(logging.getLogger("mitmproxy_windsurf"), {})

LONGEST = 120


def printable(text: str, limit: int = LONGEST) -> str:
    """The text on one line, with everything escaped that does not print."""
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text[: limit + 1]
    )
    return shown if len(text) <= limit else f"{shown[:limit]}…"


def path_of(target: str) -> str:
    """The path of a request target without its query, which may carry a key."""
    return printable(target.partition("?")[0])
