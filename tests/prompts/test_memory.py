"""The memory of results: what was used last stays, and all together stays within its size."""

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts.memory import Memory


def test_what_was_put_is_there_and_what_was_not_is_not() -> None:
    memory: Memory[str] = Memory(10)
    memory.put("a", "A", 4)
    assert memory.get("a") == "A"
    assert memory.get("b") is None


def test_what_was_not_asked_for_the_longest_is_forgotten() -> None:
    memory: Memory[str] = Memory(10)
    memory.put("a", "A", 4)
    memory.put("b", "B", 4)
    memory.get("a")
    memory.put("c", "C", 4)
    assert [memory.get(key) for key in "abc"] == ["A", None, "C"]


def test_what_is_larger_than_the_memory_is_not_remembered() -> None:
    memory: Memory[str] = Memory(10)
    memory.put("a", "A", 11)
    assert memory.get("a") is None
    memory.put("b", "B", 10)
    assert memory.get("b") == "B"


@given(st.lists(st.integers(0, 12)))
def test_sizes_together_stay_within_the_bound(sizes: list[int]) -> None:
    memory: Memory[int] = Memory(20)
    for key, size in enumerate(sizes):
        memory.put(key, size, size)
        assert sum(memory.get(known) or 0 for known in range(key + 1)) <= 20
