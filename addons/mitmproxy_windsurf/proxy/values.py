"""How the text of an option is read.

mitmproxy's own number options make a mistyped value unload the addon without a word, so everything
that is not on or off is text. A parser raises ValueError with words that follow the option's value
in a sentence and say what to write instead.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

OFF = ("off", "none", "no", "false", "0")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?", re.IGNORECASE)
_SECONDS = re.compile(r"(\d*\.?\d+)\s*(ms|s)?", re.IGNORECASE)
SMALLEST_FRAME = 1024


def size(text: str) -> int:
    """A number of bytes, such as "8 MiB", "512k" or "1048576"."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise ValueError('is not a size: write for example "8 MiB"')
    return int(float(found[1]) * _UNITS[found[2].lower()])


def frame_size(text: str) -> int:
    """The size of the largest frame that is read."""
    if (number := size(text)) < SMALLEST_FRAME:
        raise ValueError('is too small to hold an event: write for example "8 MiB"')
    return number


def size_or_off(text: str) -> int:
    """A size; "off" is 0."""
    return 0 if text.strip().lower() in OFF else size(text)


def seconds(text: str) -> float:
    """A time in seconds, such as "0.02", "20 ms" or "0"."""
    found = _SECONDS.fullmatch(text.strip())
    number = (
        float(found[1]) / (1000 if found[2] and found[2].lower() == "ms" else 1) if found else -1
    )
    if not found or not math.isfinite(number) or number > 10:
        raise ValueError('is not a time between 0 and 10 seconds: write for example "0.02"')
    return number


def count(text: str) -> int:
    """A number of things, one at least."""
    if not re.fullmatch(r"[0-9]{1,6}", text.strip()) or not int(text):
        raise ValueError('is not a number above 0: write for example "60"')
    return int(text)


def pattern(text: str) -> re.Pattern[bytes] | None:
    """A regular expression for answers, in which upper and lower case are the same."""
    try:
        return re.compile(text.encode(), re.IGNORECASE) if text.strip() else None
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error


def choice(*words: str) -> Callable[[str], str]:
    """One of the words."""

    def parse(text: str) -> str:
        word = text.strip().lower()
        if word not in words:
            raise ValueError(
                f"is none of the choices: write {', '.join(words[:-1])} or {words[-1]}"
            )
        return word

    return parse


def items(values: Sequence[str]) -> tuple[str, ...]:
    """The items that are not blank, each as a whole."""
    return tuple(item for value in values if (item := value.strip()))


def words(items: Sequence[str]) -> tuple[str, ...]:
    """Names, one an item or several with commas between them."""
    return tuple(word for item in items for part in item.split(",") if (word := part.strip()))


def host_patterns(items: Sequence[str]) -> tuple[str, ...]:
    """Host names, `*` standing for anything."""
    patterns = tuple(word.lower().strip("[]") for word in words(items))
    for pattern in patterns:
        if "/" in pattern or pattern.count(":") == 1:  # an IPv6 address has more colons
            raise ValueError(
                "is not a host name: write for example api.example.com or *.example.com"
            )
    return patterns


def paths(values: Sequence[str]) -> tuple[str, ...]:
    """Absolute paths, one an item: a comma may be part of a path."""
    found = items(values)
    for path in found:
        if len(path.strip("/\\.~ ")) < 2 or not re.match(r"[/\\]|[A-Za-z]:[/\\]", path):
            raise ValueError("is not an absolute path: write for example /srv/handler")
    return found


def pairs(items: Sequence[str]) -> Mapping[str, str]:
    """`word=Vendor`, one an item or several with commas between them."""
    found = {}
    for item in words(items):
        word, _, vendor = (part.strip() for part in item.partition("="))
        if not word or not vendor:
            raise ValueError("is not a pair: write for example yi=01.AI")
        found[word.lower()] = vendor
    return found


def port(text: str) -> int:
    """A port; 0 stands for a free one."""
    if not re.fullmatch(r"[0-9]{1,5}", text.strip()) or int(text) > 65535:
        raise ValueError("is not a port: write a number up to 65535")
    return int(text)


class Unsaid(ValueError):
    """The value must not be said back: somebody may have written a secret there."""


def variable(text: str) -> str:
    """The name of an environment variable that holds something; empty is none."""
    name = text.strip()
    if name and not os.environ.get(name):
        raise Unsaid("names no environment variable: export it before the start, or write nothing")
    return name


def as_is(value: T) -> T:
    """The value itself."""
    return value


def switch_from(
    environment: Mapping[str, str], name: str, default: bool
) -> tuple[bool, str | None]:
    """A switch's default from an environment variable, and a warning if its value means nothing.

    0 is off. 1 and empty stand for the default, but 1 turns a switch on that is off by default: the
    environment has no other way to say so.
    """
    value = environment.get(name, "").strip()
    if value == "0":
        return False, None
    if value in ("", "1"):
        return default or value == "1", None
    return default, f"{name} is neither 0 nor 1 and counts as {int(default)}"
