"""Keys and tokens that show in a text by their shape, and how they are cut out of a copy.

The shapes are those that the vendors document and that secret scanners look for. A text may be raw
JSON: there an escaped line end stands before a key, not a blank.
"""

from __future__ import annotations

import re

CENSORED = "***"

_TOKEN = r"(?=[\w-]{0,64}\d)[\w-]{16,}"
_VALUE = r"[\w.~+/=-]{8,}"

_KEYS = {
    "sk-": _TOKEN,  # OpenAI, Anthropic, DeepSeek, OpenRouter …
    **dict.fromkeys(("xai-", "pplx-", "nvapi-", "gsk_", "hf_", "glpat-"), _TOKEN),
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), _TOKEN),
    "AIza": r"[\w-]{30,}",  # Google
    "ya29.": r"[\w-]{16,}",
    **dict.fromkeys(("AKIA", "ASIA"), r"[0-9A-Z]{16}"),  # AWS
    **dict.fromkeys(("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"), r"[\w-]{10,}"),  # Slack
    "eyJ": r"[\w-]{8,}\.[\w-]{8,}\.[\w-]+",  # a JSON web token
}
"""What a key begins with, and what follows."""

_NAMES = ("Bearer ", "bearer ", "KEY=", "TOKEN=", "SECRET=", "PASSWORD=")
"""What stands before a value that is a key, whatever it looks like."""

_PEM = "-----BEGIN "


def _key(beginning: str, rest: str) -> tuple[str, re.Pattern[str], str]:
    """Every pattern begins with a literal, for which `re` searches fast."""
    literal = re.escape(beginning)
    at_start = rf"(?:(?<![\w-]{literal})|(?<=\\[nrtbf]{literal}))"
    return beginning, re.compile(literal + at_start + rest, re.ASCII), CENSORED


_PATTERNS = (
    *(_key(beginning, rest) for beginning, rest in _KEYS.items()),
    *((name, re.compile(f"{name}{_VALUE}", re.ASCII), f"{name}{CENSORED}") for name in _NAMES),
    (
        _PEM,
        re.compile(_PEM + r"[A-Z ]{0,40}KEY-----[^-]{0,8192}(?:-----END [A-Z ]*-----)?"),
        CENSORED,
    ),
)


def censor(text: str) -> str:
    """The text with everything cut out that has the shape of a key."""
    for beginning, pattern, replacement in _PATTERNS:
        if beginning in text:
            text = pattern.sub(replacement, text)
    return text


def censor_bytes(data: bytes) -> bytes:
    """The same for UTF-8, or what else there is between ASCII."""
    text = data.decode("utf-8", "surrogateescape")
    censored = censor(text)
    return data if censored == text else censored.encode("utf-8", "surrogateescape")
