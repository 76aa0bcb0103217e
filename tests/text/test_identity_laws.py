"""The laws of a transform, for the identity layer, by brute force over small alphabets."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from mitmproxy_windsurf.text import identity_prose
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity import IdentityStream, rewrite_identity
from mitmproxy_windsurf.text.identity_leads import Claim, Persona, claims_at
from mitmproxy_windsurf.text.identity_prose import LOOK_BACK, ProseRewriter
from mitmproxy_windsurf.text.transform import rewrite

PLAIN_MODELS = ("claude-opus-4-6", "gpt-5", "private-x", "swe-1")
# Names that begin like what they replace: a part of them is decided before the rest.
ALIKE = ("Cascade", "Cas", "cascade-mini", "Codeium-gpt", "the-claude")
MODEL = st.sampled_from(PLAIN_MODELS + ALIKE)

PROSE = (
    *("I am ", "I'm ", "My name is ", "As ", "as ", "I work ", "acting as ", "the ", "Windsurf "),
    *("Cascade", "cascade", "Cas", "Cascade's ", "workspace", " workspace", ", I can", ", an AI "),
    *(" is an AI ", "coding ", "assistant", "I was ", "made by ", "and built by ", "Codeium"),
    *("Windsurf", " (formerly ", ")", "The editor was ", "An AI assistant ", "Hawaii", "-", "**"),
    *(
        "我是 ",
        "由 ",
        " 开发",
        "作为 ",
        "，我",
        "私は",
        "です",
        "Soy ",
        "por ",
        "creado ",
        "によって",
    ),
    *(". ", ", ", " ", "\n", "`", "```\n", "x", "S", ": ", "_", "me, ", "my ", "this assistant "),
)
PHRASES = (*PROSE, "{", '"', "}", "[")


def texts(phrases: Iterable[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(tuple(phrases)), max_size=most).map("".join)


def ends(text: str) -> list[str]:
    return [text[start:] for start in range(len(text))]


ENDINGS = (
    *('{"name":"Cascade","provider":"","model":"","description":""}', "Cascade.", "cascade."),
    *("Cascade is an AI coding assistant.", "Cascade is your AI agent.", "Cascade is an AI that "),
    *("Cascade was an AI coding agent.", "Cascade, an AI coding agent.", "Cascade, your AI agent."),
    *(
        "Cascade has been made by Codeium.",
        "Cascade, built by Codeium.",
        "Cascade, I",
        "Cascade，我",
    ),
    *("Cascade's workspace.", "Cascade workspace.", "Cascade assistant.", "Cascadeです"),
    *("Codeium (formerly Windsurf).", "Windsurf (now Codeium)."),
    *("Codeium开发的.", "Codeiumによって開発.", "Codeiumが開発."),
    *("Windsurf开发的.", "Windsurfによって開発.", "Windsurfが開発."),
)
CONTINUATIONS = sorted(
    {"", "x", " x", "X", " X", "-", "-x", "_x", "`", "\n", " ", ".x", "(", "I", " I"}.union(
        *map(ends, ENDINGS)
    )
)
"""From every state that the alphabet leads to, these lead to every outcome."""


def shared(texts: list[str]) -> str:
    """The longest beginning that all have."""
    low, high = min(texts), max(texts)
    size = 0
    while size < len(low) and low[size] == high[size]:
        size += 1
    return low[:size]


def fed(stream: IdentityStream, pieces: list[str]) -> str:
    return "".join(map(stream.feed, pieces)) + stream.flush()


def applied(text: str, edits: list[Edit]) -> str:
    out: list[str] = []
    at = 0
    for edit in edits:
        assert text.startswith(edit.before, edit.start)
        out += text[at : edit.start], edit.after
        at = edit.start + len(edit.before)
    return "".join(out) + text[at:]


@given(st.data(), texts(PHRASES, 12), MODEL)
def test_chunk_invariance(data: st.DataObject, text: str, model: str) -> None:
    whole, cut = IdentityStream(model), IdentityStream(model)
    assert fed(cut, data.draw(strategies.pieces(text))) == rewrite(whole, text)
    assert cut.edits == whole.edits


@settings(max_examples=max(10, settings().max_examples // 4))  # each asks for so many futures
@given(texts(PHRASES, 7), MODEL)
def test_minimal_hold(text: str, model: str) -> None:
    stream, out = IdentityStream(model), ""
    for end, char in enumerate(text, 1):
        out += stream.feed(char)
        futures = [rewrite_identity(text[:end] + more, model) for more in CONTINUATIONS]
        assert out == shared(futures)
        assert text[:end].endswith(stream.held)


@given(st.data(), texts(PROSE, 12), MODEL)
def test_no_loss(data: st.DataObject, text: str, model: str) -> None:
    """The edits are all that differs, also when the stream breaks."""
    for end in (IdentityStream.flush, IdentityStream.release):
        stream = IdentityStream(model)
        out = "".join(map(stream.feed, data.draw(strategies.pieces(text))))
        assert out + end(stream) == applied(text, stream.edits)
        assert stream.held == ""


WORDS = st.text("aeiost CW`~{}[]\"'.:,\n我是 I")


@given(st.data(), WORDS)
def test_conservation(data: st.DataObject, text: str) -> None:
    stream = IdentityStream("gpt-5")
    assert fed(stream, data.draw(strategies.pieces(text))) == text
    assert stream.edits == []


@given(texts(PHRASES, 12), st.sampled_from(PLAIN_MODELS))
def test_idempotence(text: str, model: str) -> None:
    once = rewrite_identity(text, model)
    assert rewrite_identity(once, model) == once
    assert rewrite_identity(text, model) == once


@given(st.data(), texts(PHRASES, 10), texts(PHRASES, 10))
def test_isolation(data: st.DataObject, one: str, other: str) -> None:
    streams = {one: IdentityStream("gpt-5"), other: IdentityStream("claude-opus-4-6")}
    queues = {text: data.draw(strategies.pieces(text)) for text in streams}
    outs = dict.fromkeys(streams, "")
    while any(queues.values()):
        text = data.draw(st.sampled_from([text for text, queue in queues.items() if queue]))
        outs[text] += streams[text].feed(queues[text].pop(0))
    for text, stream in streams.items():
        model = "claude-opus-4-6" if text == other else "gpt-5"
        assert outs[text] + stream.flush() == rewrite_identity(text, model)


HARD = {
    "prose": "The parser reads one line. Which one? Can we know? ",
    "near misses": "I am Casual, I'm Casper. My name is Cas. ",
    "long separators": "Cascade" + " " * 500 + "x ",
    "half a lead": "as as the my I I ",
    "claims": "I am Cascade, made by Codeium. ",
    "a sentence without end": "it was made by Windsurf and built by Codeium and ",
    "a sentence of its own": "I was made by Codeium and ",
    "names only": "Cascade Codeium Windsurf cascade ",
    "backticks": "`a` ``b`` ``` ",
    "brackets": "[",
    "records": '{"name":"Cascade","provider":"',
    "blanks": " ",
    "letters": "C",
    "emphasis": "*_\"'(",
}


class Work:
    """Counts characters that are looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        scan, common = ProseRewriter._scan, ProseRewriter._common

        def counting_scan(rewriter: ProseRewriter, text: str, *, ended: bool = False) -> str:
            self.done += len(text)
            return scan(rewriter, text, ended=ended)

        def counting_common(
            rewriter: ProseRewriter, at: int, claims: tuple[Claim, ...] = ()
        ) -> str:
            self.done += len(rewriter.held)
            return common(rewriter, at, claims)

        def counting_claims(past: str, persona: Persona) -> tuple[Claim, ...]:
            self.done += len(past)
            return claims_at(past, persona)

        monkeypatch.setattr(ProseRewriter, "_scan", counting_scan)
        monkeypatch.setattr(ProseRewriter, "_common", counting_common)
        monkeypatch.setattr(identity_prose, "claims_at", counting_claims)


@pytest.mark.parametrize("size", [1, 4, 100_000])
@pytest.mark.parametrize("unit", HARD.values(), ids=HARD)
def test_linear_work(unit: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(monkeypatch)
    costs = []
    for length in (4_000, 8_000, 12_000):
        text = (unit * (length // len(unit) + 1))[:length]
        before = work.done
        stream, longest = IdentityStream("Casper"), 0
        for piece in strategies.every(text, size):
            stream.feed(piece)
            longest = max(longest, len(stream.held))
        stream.flush()
        costs.append(work.done - before)
        assert costs[-1] <= length * LOOK_BACK
        assert longest <= 16 * 1024 if "name" in unit else longest <= 64
    # The first characters cost less: there is less to look back at.
    assert costs[2] - costs[1] <= 1.05 * (costs[1] - costs[0]) + 8 * LOOK_BACK


def test_memory_stays_small() -> None:
    stream = IdentityStream("gpt-5")
    for _ in range(5_000):
        stream.feed("word ")
    rewriter = stream._stage
    assert isinstance(rewriter, ProseRewriter)
    assert len(rewriter._past) <= LOOK_BACK
    assert len(rewriter._fresh) <= identity_prose._FRESH
