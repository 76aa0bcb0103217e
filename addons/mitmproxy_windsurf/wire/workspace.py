"""The client's own working directory, as its prompt names it.

The wordings are those of Claude Code, opencode, Codex, Cline, Gemini CLI and Qwen Code.
"""

from __future__ import annotations

import re
from typing import Any

from mitmproxy_windsurf.wire.gemini_members import members
from mitmproxy_windsurf.wire.walk import strings

_PLACES = ("system", "instructions", "systeminstruction", "messages", "input", "contents", "prompt")
"""Where prompts ride, the more trustworthy first."""

_PATH = r"(?P<{0}>(?:[A-Za-z]:)?[/\\][^\n\"'`<>|*?]*)"
_NAMED = re.compile(
    r"(?i:\b(?:working directory|cwd)|working in the directory)(?:\*\*)?\s*(?:is|[:=])\s*[`\"']?"
    + _PATH.format("named")
    + r"|<cwd>\s*"
    + _PATH.format("tagged")
    + r"|Current Working Directory \("
    + _PATH.format("bracketed").replace("<>", "<>()")
)


def find_workspace(body: dict[str, Any]) -> str | None:
    """The absolute path that a request names as the place where its client works."""
    fields = members(body)
    fields = members(fields["request"].value) or fields  # Code Assist
    for place in _PLACES:
        for _, text in strings(fields[place].value):
            if match := _NAMED.search(text):
                path = match[match.lastgroup or 0].rstrip(" \t\r.,;")
                return path.rstrip("/\\") or path
    return None
