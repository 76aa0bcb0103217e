"""Who made a model, told by the family word in its name: a table, not a guess.

The word stands at a word boundary, anywhere in the name: no letter or digit before it, no letter
after it (`gpt4` is one, `gptj` is not). Of several words the first in the name counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

VENDORS: Final[Mapping[str, str]] = {
    word: vendor
    for vendor, words in {
        "Anthropic": "claude sonnet opus haiku fable",
        "OpenAI": "gpt chatgpt codex o1 o3 o4",
        "Google": "gemini gemma",
        "Moonshot": "kimi",
        "Zhipu": "glm",
        "DeepSeek": "deepseek",
        "xAI": "grok",
        "Alibaba": "qwen",
        "MiniMax": "minimax",
        "Mistral AI": "mistral devstral",
        "Meta": "llama",
        "Windsurf": "swe",
    }.items()
    for word in words.split()
}
"""Family word, in lower case, to vendor."""

_NOTHING: Final[Mapping[str, str]] = {}


def vendor_of(model: str, extra: Mapping[str, str] = _NOTHING) -> str | None:
    """The vendor of a model, None if it is not known.

    `extra` adds families or overrides them; a family whose vendor is blank is unknown.
    """
    table = {**VENDORS, **{word.lower(): vendor for word, vendor in extra.items() if word}}
    match = _families(frozenset(table)).search(model.lower())
    return (table[match[0]].strip() or None) if match else None


@lru_cache(maxsize=16)
def _families(words: frozenset[str]) -> re.Pattern[str]:
    """Finds the first family word; of two at the same place the longer one."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    choices = "|".join(
        re.escape(word) + (r"(?!\d)" if word[-1].isdigit() else "") for word in ordered
    )
    return re.compile(rf"(?<![^\W_])(?:{choices})(?![^\W\d_])")
