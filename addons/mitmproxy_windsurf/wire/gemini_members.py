"""The members of Gemini's objects, whose names come as `camelCase` and as `snake_case`.

Google takes both in requests, clients mix them inside of one body, and handlers that copy the API
answer in either.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple


class Member(NamedTuple):
    """A member by the name that it really has."""

    name: str
    value: Any


_ABSENT = Member("", None)


class Members(dict[str, Member]):
    """Members by their names without underscores and case; one that is absent has no value."""

    def __missing__(self, name: str) -> Member:
        return _ABSENT


def members(value: Any) -> Members:
    """The members of an object; of anything else none."""
    if not isinstance(value, dict):
        return Members()
    return Members({_folded(name): Member(name, item) for name, item in value.items()})


@lru_cache(maxsize=1024)
def _folded(name: str) -> str:
    return name.replace("_", "").lower()
