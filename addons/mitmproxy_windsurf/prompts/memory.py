"""Results for the latest texts: a client sends the same prompt again on every turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")

MAX_SIZE = 4_000_000


class Memory(Generic[Value]):
    """Forgets what was not asked for the longest when all sizes together exceed `max_size`."""

    def __init__(self, max_size: int = MAX_SIZE) -> None:
        self._max_size = max_size
        self._size = 0
        self._known: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()

    def get(self, key: Hashable) -> Value | None:
        if key not in self._known:
            return None
        self._known.move_to_end(key)
        return self._known[key][0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Remember a value for a new key."""
        self._known[key] = (value, size)
        self._size += size
        while self._size > self._max_size:
            self._size -= self._known.popitem(last=False)[1][1]

    def clear(self) -> None:
        self._known.clear()
        self._size = 0
