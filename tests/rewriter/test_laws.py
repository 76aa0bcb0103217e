"""The laws, as properties of ResponseRewriter: over bytes, for streams of any talk."""

from collections import defaultdict
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter, waiting
from mitmproxy_windsurf.rewriter.channels import stages
from mitmproxy_windsurf.text.transform import Pipeline, rewrite
from playbook import ABORT, COMMENT, END, MODEL, PING, delta, run, start, stop
from strategies import pieces
from traffic import Event, documents, render, said

OFF = Layers(neutralize=False, paths=False, identity=False, dedup=False)

PROTOCOLS = st.sampled_from(["openai_chat", "anthropic"])
MATCHING = [
    "/opt/windsurf",
    "/opt/wind",
    "surf",
    "/a.py",
    "I am Casc",
    "Cascade",
    "ade",
    " by Codeium",
]
PLAIN = [
    "/op",
    "t/",
    "/",
    "I am ",
    "Cas",
    " ",
    ". ",
    "\n",
    "`",
    "```",
    "<",
    "é",
    "你",
    "😀",
    '"',
    "\\",
    "x",
]

matching = st.lists(st.sampled_from(MATCHING + PLAIN), max_size=4).map("".join)
near_misses = st.lists(st.sampled_from(PLAIN), max_size=4).map("".join)
FOREIGN = b'id: 7\nevent: new\ndata: {"type": "new"}\n\n'
noise = st.sampled_from([b"", b"", COMMENT, FOREIGN])


@st.composite
def talk(draw: st.DrawFn, words: st.SearchStrategy[str], choices: int = 1) -> list[Event]:
    """Deltas of text and reasoning, in any order, of up to so many choices."""
    kinds = st.sampled_from(["text", "text", "reasoning"])
    deltas = st.tuples(kinds, words, st.integers(0, choices - 1))
    return [
        {kind: text, "index": index} for kind, text, index in draw(st.lists(deltas, max_size=8))
    ]


@st.composite
def streams(
    draw: st.DrawFn, words: st.SearchStrategy[str], protocol: str, *, crlf: bool = True
) -> bytes:
    frames = render(protocol, draw(talk(words, 1 if protocol == "anthropic" else 3)))
    if crlf and draw(st.booleans()):
        frames = [frame.replace(b"\n", b"\r\n") for frame in frames]
    return b"".join(draw(noise) + frame for frame in frames)


def rewriter(protocol: str, layers: Layers | None = None, **options: Any) -> ResponseRewriter:
    options = {"model": MODEL, "want_thinking": True, **options}
    return ResponseRewriter(protocol, layers or Layers(), **options)


def texts(protocol: str, stream: bytes) -> dict[tuple[str, int], str]:
    """What is said in the end, by channel and by block or choice."""
    found: dict[tuple[str, int], str] = defaultdict(str)
    for piece in said(protocol, stream.replace(b"\r\n", b"\n")):
        found[piece.channel, piece.key] += piece.text
    return {key: text for key, text in found.items() if text}


@given(st.data(), PROTOCOLS, st.booleans())
def test_chunk_invariance(data: st.DataObject, protocol: str, wanted: bool) -> None:
    stream = data.draw(streams(matching, protocol))
    whole = run(rewriter(protocol, want_thinking=wanted), [stream])
    cut = data.draw(pieces(stream))
    assert run(rewriter(protocol, want_thinking=wanted), cut) == whole


WAIT = mock.patch.object(waiting, "MAX_WAITING", 1000)
"""A long wait makes events go out as rewritten, with the same texts: `test_waiting` has that."""


@given(st.data(), PROTOCOLS)
def test_conservation(data: st.DataObject, protocol: str) -> None:
    """With the layers off, or with rules that do not match, what goes out is what came in."""
    stream = data.draw(streams(matching, protocol))
    assert run(rewriter(protocol, OFF), data.draw(pieces(stream))) == stream
    stream = data.draw(streams(near_misses, protocol))
    machine = rewriter(protocol, Layers(dedup=False))
    with WAIT:
        assert run(machine, data.draw(pieces(stream))) == stream
    assert not machine.edits


@given(st.data(), PROTOCOLS)
def test_no_loss(data: st.DataObject, protocol: str) -> None:
    """Wherever the answer breaks: what came is what goes out, if no rule matched."""
    stream = data.draw(streams(near_misses, protocol))
    broken = stream[: data.draw(st.integers(0, len(stream)))]
    machine = rewriter(protocol)
    with WAIT:
        out = run(machine, data.draw(pieces(broken)), ABORT)
    assert out == broken or [edit.rule for edit in machine.edits] == ["dedup"]


@given(st.data(), PROTOCOLS)
def test_no_loss_of_what_was_held(data: st.DataObject, protocol: str) -> None:
    """Wherever the answer breaks, the text is what the layers gave out and all that they held."""
    deltas = data.draw(st.lists(matching, max_size=6))
    frames = render(protocol, [*({"text": text} for text in deltas), {"end": ""}])
    place = data.draw(st.integers(0, len(b"".join(frames))))
    broken = b"".join(frames)[:place]
    whole = broken[: broken.rfind(b"\n\n") + 2 if b"\n\n" in broken else 0]
    rest = broken[len(whole) :]
    out = run(rewriter(protocol), data.draw(pieces(broken)), ABORT)
    assert out.endswith(rest)
    machine = Pipeline(stages("text", Layers(), model=MODEL, unwrap=True))
    wanted = machine.feed("".join(texts(protocol, whole).values())) + machine.release()
    assert "".join(texts(protocol, out.removesuffix(rest)).values()) == wanted


@given(st.data())
def test_isolation_of_choices(data: st.DataObject) -> None:
    events = data.draw(talk(matching, 3))
    together = texts("openai_chat", run(rewriter("openai_chat"), render("openai_chat", events)))
    for index in range(3):
        alone = [event for event in events if event["index"] == index]
        stream = run(rewriter("openai_chat"), render("openai_chat", alone))
        mine = {key: text for key, text in together.items() if key[1] == index}
        assert texts("openai_chat", stream) == mine


@given(st.lists(st.tuples(st.integers(0, 2), matching), max_size=8))
def test_isolation_of_blocks(deltas: list[tuple[int, str]]) -> None:
    """As llama.cpp sends them: all open at once, all stopped in the end."""
    stream = [
        *(start(index, "text") for index in range(3)),
        *(delta(index, text=text) for index, text in deltas),
        *(stop(index) for index in range(3)),
    ]
    found = texts("anthropic", run(rewriter("anthropic"), stream))
    for index in range(3):
        text = "".join(text for owner, text in deltas if owner == index)
        machine = Pipeline(stages("text", Layers(), model=MODEL, unwrap=True))
        assert found.get(("text", index), "") == rewrite(machine, text)


@given(st.lists(st.tuples(st.integers(0, 2), matching), max_size=8), st.booleans())
def test_isolation_of_parallel_tools(deltas: list[tuple[int, str]], ended: bool) -> None:
    stream = [
        *(start(index, "tool_use", input={}) for index in range(3)),
        *(delta(index, partial_json='{"p": "') for index in range(3)),
        *(delta(index, partial_json=text) for index, text in deltas),
        *(stop(index) for index in range(3) if ended),
    ]
    found = texts("anthropic", run(rewriter("anthropic"), stream))
    for index in range(3):
        text = '{"p": "' + "".join(text for owner, text in deltas if owner == index)
        machine = Pipeline(stages("tool_input", Layers(), model=MODEL, unwrap=True))
        assert found["tool_args_delta", index] == rewrite(machine, text)


@given(st.data(), PROTOCOLS)
def test_idempotence(data: st.DataObject, protocol: str) -> None:
    stream = data.draw(streams(matching, protocol))
    with WAIT:
        once = run(rewriter(protocol, want_thinking=False), [stream])
        assert run(rewriter(protocol, want_thinking=False), [stream]) == once
        assert run(rewriter(protocol, want_thinking=False), [once]) == once


@given(st.data(), PROTOCOLS)
def test_composition(data: st.DataObject, protocol: str) -> None:
    """A streamed text is what the layers make of it in their order, whatever is between."""
    deltas = data.draw(st.lists(matching, max_size=6))
    frames = render(protocol, [{"text": text} for text in deltas])
    pings = PING if protocol == "anthropic" else COMMENT
    stream = b"".join(frame + pings * data.draw(st.integers(0, 10)) for frame in frames)
    machine = Pipeline(stages("text", Layers(), model=MODEL, unwrap=True))
    wanted = rewrite(machine, "".join(deltas))
    out = run(rewriter(protocol), data.draw(pieces(stream)), END)
    assert "".join(texts(protocol, out).values()) == wanted
    assert out.count(pings) == stream.count(pings)
    assert len(documents(out)) >= len(documents(stream))
