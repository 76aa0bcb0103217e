"""The laws of a transform, for the tests of any that tells what it holds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from types import FrameType
from typing import Any, Protocol

from mitmproxy_windsurf.text.transform import Transform, rewrite


class Holding(Transform, Protocol):
    """A transform that tells what it holds."""

    @property
    def held(self) -> str: ...


Make = Callable[[], Holding]


def stream(make: Make, pieces: Iterable[str]) -> str:
    """The output for a text that comes in these pieces."""
    transform = make()
    return "".join(map(transform.feed, pieces)) + transform.flush()


def before_end(make: Make, pieces: Iterable[str]) -> str:
    """What is out when the pieces have been fed, and the text may go on."""
    return "".join(map(make().feed, pieces))


def most_held(make: Make, pieces: Iterable[str]) -> int:
    """The longest text that is held between two pieces."""
    transform = make()
    longest = 0
    for piece in pieces:
        transform.feed(piece)
        longest = max(longest, len(transform.held))
    return longest


def strings(alphabet: str, length: int) -> Iterator[str]:
    """All strings of at most this length, the short ones first."""
    for size in range(length + 1):
        for chars in product(alphabet, repeat=size):
            yield "".join(chars)


def common_prefix(texts: Sequence[str]) -> str:
    """What these texts begin with, all of them."""
    first, last = min(texts), max(texts)
    length = next((i for i, char in enumerate(first) if last[i] != char), len(first))
    return first[:length]


def undecided_too_long(make: Make, alphabet: str, length: int, ahead: int) -> list[str]:
    """Texts after which more or less is out than what all continuations have in common.

    By brute force: all texts over the alphabet, each with all continuations up to `length`
    characters in total, of which the last `ahead` are for looking ahead only.
    """
    shared: dict[str, str] = {}
    for text in reversed(list(strings(alphabet, length))):
        outputs = [rewrite(make(), text)]
        if len(text) < length:
            outputs += [shared[text + char] for char in alphabet]
        shared[text] = common_prefix(outputs)
    return [
        text for text in strings(alphabet, length - ahead) if before_end(make, text) != shared[text]
    ]


def shared_output(
    make: Make, text: str, continuations: Iterable[str], *, at_least: str = ""
) -> str:
    """What the outputs of a text have in common over these continuations.

    Looks no further once that is no more than `at_least`.
    """
    shared = rewrite(make(), text)
    for more in continuations:
        shared = common_prefix([shared, rewrite(make(), text + more)])
        if len(shared) <= len(at_least):
            break
    return shared


def work(make: Make, pieces: Sequence[str]) -> int:
    """How many calls, of Python and of C, it takes to feed these pieces."""
    calls = 0

    def count(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    transform = make()
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for piece in pieces:
            transform.feed(piece)
    finally:
        sys.setprofile(before)
    return calls
