"""A failure inside a layer costs its text the rewriting, and not a character."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter, documents, texts
from mitmproxy_windsurf.rewriter.channels import Stage
from mitmproxy_windsurf.rewriter.open_text import OpenText
from mitmproxy_windsurf.text.dedup import ReasoningDedup
from mitmproxy_windsurf.wire import openai_chat
from mitmproxy_windsurf.wire.parts import Key
from playbook import ABORT, DONE, END, MODEL, PRIVATE, Playbook, chunk, run
from strategies import pieces
from swap import Swap

KEY = Key(0, "text")


class Failing(Swap):
    """Works for some calls of its verbs, then fails for ever."""

    def __init__(self, needle: str, new: str, calls: int) -> None:
        super().__init__(needle, new)
        self.calls = calls

    def _count(self) -> None:
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("a bug")

    def feed(self, text: str, /) -> str:
        self._count()
        return super().feed(text)

    def flush(self) -> str:
        self._count()
        return super().flush()

    def release(self) -> str:
        self._count()
        return super().flush()


class FailingDedup(ReasoningDedup):
    def __init__(self, calls: int) -> None:
        super().__init__(want_thinking=True)
        self.calls = calls

    def _count(self) -> None:
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("a bug")

    def feed(self, text: str, /) -> str:
        self._count()
        return super().feed(text)

    def settle(self) -> str:
        self._count()
        return super().settle()

    def release(self) -> str:
        self._count()
        return super().release()


End = Callable[[OpenText], str]
ENDS: list[End] = [
    lambda text: text.flush(keep=False),
    lambda text: text.flush(keep=True),
    OpenText.end_by_tool,
    OpenText.release,
    lambda text: text.pause(()) + text.flush(keep=True),
]


@given(
    st.data(),
    st.lists(st.integers(0, 12), min_size=1, max_size=3),
    st.none() | st.integers(0, 8),
    st.sampled_from(ENDS),
)
def test_no_loss(data: st.DataObject, calls: list[int], dedup_calls: int | None, end: End) -> None:
    """The layers put back what they hold, in the order of the text, whichever fails and when."""
    text = data.draw(st.text("ab/", max_size=20))
    row = [
        Failing(needle, needle, left)
        for needle, left in zip(("ab/", "b/b", "//"), calls, strict=False)
    ]
    dedup = None
    if dedup_calls is not None:
        dedup = FailingDedup(dedup_calls)
        dedup.note_reasoning(data.draw(st.text("ab/", max_size=20)) + text + "!")
    machine = OpenText(KEY, row, dedup)
    out = "".join(machine.feed(piece) for piece in data.draw(pieces(text)))
    assert out + end(machine) == text


def three_stages() -> OpenText:
    """Each stage holds something, the last one the beginning of the text."""
    machine = OpenText(KEY, [Swap("ab/", "1"), Swap("b/b", "2"), Swap("//", "3")], None)
    assert machine.feed("/ab") == ""
    assert machine.holds == len("/ab")
    return machine


def test_what_is_held_comes_back_in_the_order_of_the_text() -> None:
    assert three_stages().release() == "/ab"
    assert three_stages().flush(keep=False) == "/ab"
    assert three_stages().feed("c") == "/abc"


def test_a_stage_that_fails_while_one_before_it_is_flushed() -> None:
    row = [Failing("ab/", "1", 3), Failing("b/b", "2", 4), Failing("//", "3", 3)]
    machine = OpenText(KEY, row, None)
    assert machine.feed("/") == ""
    assert machine.flush(keep=False) == "/"


def with_stages(monkeypatch: pytest.MonkeyPatch, *row: Callable[[], Stage]) -> None:
    def stages(*_: object, **__: object) -> Sequence[Stage]:
        return [make() for make in row]

    monkeypatch.setattr(texts, "stages", stages)


@pytest.mark.parametrize("end", [END, ABORT])
@pytest.mark.parametrize("calls", range(5))
def test_the_answer_goes_on_with_one_warning(
    monkeypatch: pytest.MonkeyPatch, calls: int, end: Any
) -> None:
    with_stages(monkeypatch, lambda: Swap("/tmp/x", "<w>"), lambda: Failing("ab", "<v>", calls))
    events = [chunk(content=text) for text in ("in /tmp", "/a", "b /t", "mp/ no")]
    rewriter = ResponseRewriter("openai_chat", Layers(), model=MODEL, want_thinking=True)
    out = run(rewriter, [*events, chunk(1, content="Hi.")], end)
    [warning] = rewriter.warnings
    assert "a bug" in warning
    if calls == 0:
        assert out == b"".join([*events, chunk(1, content="Hi.")])


def test_the_other_texts_are_rewritten_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([0, 100])
    with_stages(monkeypatch, lambda: Failing("/tmp/x", "<w>", next(left)))
    with Playbook("openai_chat") as stream:
        stream.passes(chunk(0, content="a /tmp/x"))
        stream >> chunk(1, content="b /tmp/x") << chunk(1, content="b <w>")
        stream.passes(chunk(0, content="c /tmp/x"))
        stream >> END
        left = iter([0, 100] * 6)  # for the repetitions in other pieces


class Broken(Exception):
    pass


def fail(*_: object, **__: object) -> Any:
    raise Broken


@pytest.mark.parametrize(
    ("module", "name"),
    [(openai_chat, "read"), (openai_chat, "slot"), (openai_chat, "delta"), (documents, "locate")],
)
def test_a_bug_in_our_own_code_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    """Nothing raises, whatever else is wrong; all that came goes out."""
    monkeypatch.setattr(module, name, fail)
    thought = chunk(reasoning=f"in {PRIVATE} /op")
    events = [thought, chunk(content=f"in {PRIVATE} /op"), chunk(finish="stop"), DONE]
    for end in (END, ABORT):
        rewriter = ResponseRewriter("openai_chat", Layers(), model=MODEL, want_thinking=True)
        out = run(rewriter, events, end)
        assert rewriter.warnings
        assert out.startswith(b"data:")
        assert out.endswith(DONE)


def test_a_bug_with_a_whole_answer_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "locate", fail)
    body = b'{"choices": [{"message": {"content": "%b"}}]}' % PRIVATE.encode()
    rewriter = ResponseRewriter("openai_chat", Layers(), model=MODEL, want_thinking=True)
    assert run(rewriter, [body]) == body
    assert len(rewriter.warnings) == 1
