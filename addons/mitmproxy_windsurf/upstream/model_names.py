"""Which model the backend is asked for when the client names another one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ModelNames:
    """Pairs of a pattern, in which `*` stands for anything, and a name. The first that fits counts;
    without any the client's own name is used."""

    pairs: tuple[tuple[str, str], ...] = ()

    def __call__(self, model: str) -> str:
        return next((name for pattern, name in self.pairs if _fits(pattern, model)), model)


def parse_model_names(items: Sequence[str]) -> ModelNames:
    """`pattern=name`, one an item or several with commas between them.

    Raises:
        ValueError: with words that follow the value in a sentence.
    """
    pairs = []
    for word in ",".join(items).split(","):
        pattern, _, name = (part.strip() for part in word.partition("="))
        if pattern and name:
            pairs.append((pattern, name))
        elif word.strip():
            raise ValueError('is not PATTERN=NAME: write for example "*=qwen3:8b"')
    return ModelNames(tuple(pairs))


def _fits(pattern: str, model: str) -> bool:
    anything = ".*".join(map(re.escape, pattern.split("*")))
    return re.fullmatch(anything, model, re.IGNORECASE | re.DOTALL) is not None
