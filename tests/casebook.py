"""The cases in `tests/cases` and how to judge an output by them; cases/README.md has the format."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

import strategies
from mitmproxy_windsurf.text.paths import MARKER

SENTENCE = r"[^.\n]+\."
"""Any one identity sentence: which one is the rule's own business."""


class Case(NamedTuple):
    id: str
    layer: str
    input: dict[str, Any]
    expect: dict[str, Any]
    why: str
    source: str
    basis: str

    @property
    def fn(self) -> str | None:
        return self.input.get("fn")

    @property
    def chunks(self) -> list[str]:
        """The text as the case cuts it: given in chunks, split as it says, or whole."""
        if "chunks" in self.input:
            return list(self.input["chunks"])
        size = self.input.get("split", 0)
        text = self.generated("text")
        if size == "chars":
            return strategies.every(text, 1)
        return strategies.every(text, size) if size else [text]

    @property
    def text(self) -> str:
        return "".join(self.chunks)

    def generated(self, name: str) -> str:
        """`input[name]`, maybe spelled as head, unit, count and tail."""
        if name in self.input:
            return str(self.input[name])
        head, unit, count, tail = self.input[f"{name}_gen"]
        return str(head + unit * count + tail)


def _load() -> list[Case]:
    files = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text("utf-8").split("\n") if line]
    cases = [Case(**json.loads(line)) for line in lines]
    assert cases, "no cases were found"
    assert len({case.id for case in cases}) == len(cases), "an id is used twice"
    return cases


CASES = _load()


def case(name: str) -> Case:
    """The case of this id."""
    return next(case for case in CASES if case.id == name)


CHECKABLE = frozenset(
    {
        *("equals", "unchanged", "matches", "contains", "absent", "idempotent"),
        *("args_equal", "json_valid", "equals_json"),
        *("emitted_before_end", "held_max", "suppressed"),
    }
)
"""What the harness checks. The rest of the vocabulary needs a test of its own, or says nothing."""

KNOWN = CHECKABLE | {"property", "any_split"}


def cases(*functions: str) -> pytest.MarkDecorator:
    """Parametrize a test with the checkable cases of these operations."""
    chosen = [case for case in CASES if case.fn in functions and CHECKABLE & case.expect.keys()]
    assert chosen
    _run.update(case.id for case in chosen)
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.id)


_run: set[str] = set()
_covered: dict[str, str] = {}

Test = TypeVar("Test", bound=Callable[..., object])


def covers(*ids: str) -> Callable[[Test], Test]:
    """Say that a test is the one for the property of these cases."""

    def mark(test: Test) -> Test:
        _covered.update(dict.fromkeys(ids, test.__name__))
        return test

    return mark


def left_out(awaited: Iterable[str]) -> Iterator[str]:
    """Whatever no test has taken up, although its case asks for it."""
    awaited = set(awaited)
    for case in CASES:
        asks = CHECKABLE & case.expect.keys() and case.fn is not None
        if asks and case.id not in _run:
            yield f"{case.id}: no harness runs {case.fn}"
        if "property" in case.expect and case.id not in _covered.keys() | awaited:
            yield f"{case.id}: no test covers “{case.expect['property']}”"
    ids = {case.id for case in CASES}
    yield from (f"{name}: no such case" for name in (_covered.keys() | awaited) - ids)


def pattern(case: Case, wanted: str) -> re.Pattern[str]:
    """An expected text with its placeholders, as a pattern for the whole output."""
    literal = wanted.replace("{P}", MARKER).replace("{M}", str(case.input.get("model")))
    return re.compile(SENTENCE.join(map(re.escape, literal.split("{I}"))))


def judge(case: Case, output: str, *, given: str) -> None:
    """Assert all that the case says about an output text."""
    expect = case.expect
    assert expect.keys() <= KNOWN, "a word that cases/README.md does not have"
    if "equals" in expect:
        assert pattern(case, expect["equals"]).fullmatch(output), f"{output!r}, {case.why}"
    if expect.get("unchanged"):
        assert output == given, case.why
    if "matches" in expect:
        assert re.search(expect["matches"], output), f"{output!r}, {case.why}"
    for wanted in expect.get("contains", ()):
        assert pattern(case, wanted).search(output), f"{output!r}, {case.why}"
    for banned in expect.get("absent", ()):
        assert not pattern(case, banned).search(output), f"{output!r}, {case.why}"
