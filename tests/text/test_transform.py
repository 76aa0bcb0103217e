"""The laws of a row of transforms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.text.transform import Pipeline, Transform, rewrite
from strategies import pieces
from swap import Swap

# What one stage writes is what another one looks for, whole, in part, or across what was cut.
STAGES = [("ab", "c"), ("cc", "ab"), ("aa", ""), ("b", "bb"), ("abc", "a"), ("c", "ca")]
stages = st.lists(st.sampled_from(STAGES), max_size=4)
texts = st.text("abc", max_size=12)


def row(spec: list[tuple[str, str]]) -> list[Swap]:
    return [Swap(needle, new) for needle, new in spec]


class Log:
    """Notes what is called, and gives back its own name."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    def feed(self, text: str, /) -> str:
        self.calls.append(f"{self.name} feed {text}")
        return text

    def flush(self) -> str:
        self.calls.append(f"{self.name} flush")
        return self.name

    def release(self) -> str:
        self.calls.append(f"{self.name} release")
        return self.name


@given(stages, texts)
def test_composition(spec: list[tuple[str, str]], text: str) -> None:
    """A pipeline of a and b is b applied to the output of a."""
    expected = text
    for stage in row(spec):
        expected = rewrite(stage, expected)
    assert rewrite(Pipeline(row(spec)), text) == expected


@given(st.data(), stages, texts)
def test_chunk_invariance(data: st.DataObject, spec: list[tuple[str, str]], text: str) -> None:
    pipeline = Pipeline(row(spec))
    out = "".join(map(pipeline.feed, data.draw(pieces(text)))) + pipeline.flush()
    assert out == rewrite(Pipeline(row(spec)), text)


@given(stages, stages, texts)
def test_pipelines_nest(one: list[tuple[str, str]], two: list[tuple[str, str]], text: str) -> None:
    nested = Pipeline([Pipeline(row(one)), Pipeline(row(two))])
    assert rewrite(nested, text) == rewrite(Pipeline(row(one + two)), text)


@given(st.lists(st.sampled_from(["abb", "bbc", "abcabc", "ca", "aab"]), max_size=4), texts)
def test_no_loss(needles: list[str], text: str) -> None:
    """Where nothing is replaced, what came out and what comes back are the text, in order."""
    for end in range(len(text) + 1):
        pipeline = Pipeline([Swap(needle, needle) for needle in needles])
        assert pipeline.feed(text[:end]) + pipeline.release() == text[:end]


def test_release_order() -> None:
    """What a later stage holds came earlier in the text; nothing that comes back is rewritten."""
    first, last = Swap("/tmp/x"), Swap("a long needle")
    pipeline = Pipeline([first, last])
    assert pipeline.feed("so: a long /tm") == "so: "
    assert (last.held, first.held) == ("a long ", "/tm")
    assert pipeline.release() == "a long /tm"

    calls: list[str] = []
    assert Pipeline([Log(name, calls) for name in "abc"]).release() == "cba"
    assert calls == ["c release", "b release", "a release"]


def test_flush_order() -> None:
    """Each stage is fed what the one before still had, if anything, and then flushed."""
    calls: list[str] = []
    assert Pipeline([Log(name, calls) for name in ["", "b", "c"]]).flush() == "bc"
    assert calls == [" flush", "b flush", "c feed b", "c flush"]


def test_an_empty_pipeline_passes_everything_through() -> None:
    pipeline: Transform = Pipeline([])
    assert pipeline.feed("text") == "text"
    assert pipeline.flush() == pipeline.release() == ""


def test_rewrite_is_feed_and_flush() -> None:
    assert rewrite(Swap(), "in /tmp/x or /tmp") == "in <w> or /tmp"
