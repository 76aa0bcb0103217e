"""Recorded answers through the rewriter: our own always, and the corpus that WINDSURF_CORPUS names.

What no rule matches passes byte for byte, however it is cut; what leaks is gone in all places, and
the rest is in its place.
"""

import json
import random
from collections.abc import Iterator
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leaks
from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, waiting
from mitmproxy_windsurf.wire.framing import Frame
from mitmproxy_windsurf.wire.walk import at
from playbook import ABORT, run
from recordings import CORPUS, OWN, RECORDINGS, Recording, requests
from strategies import cut, cuttings, every, pieces

BUDGET = 500 * settings().max_examples
"""So many bytes a recording may cost a test, at least; `test_corpus_cuts` is exhaustive."""

LEAKING = [one for one in RECORDINGS if leaks.with_leaks(one).data != one.data]
"""All but those that only call a tool without arguments."""


def each_of(recordings: list[Recording]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("recording", recordings, ids=lambda recording: recording.name)


def test_the_corpus_is_there() -> None:
    if not CORPUS:
        pytest.skip("not run: WINDSURF_CORPUS names no directory of recorded streams")
    assert len(RECORDINGS) > len(OWN) + 100
    assert len(LEAKING) > len(RECORDINGS) - 15
    assert {one.protocol for one in RECORDINGS} == {one.protocol for one in OWN}


def some_cuttings(data: bytes) -> Iterator[list[bytes]]:
    """All of `cuttings` if there are not too many, else some of each kind."""
    if len(data) ** 2 <= BUDGET:
        yield from cuttings(data)
        return
    chance = random.Random(len(data))
    yield [data]
    yield every(data, 1)
    for _ in range(max(3, BUDGET // len(data))):
        yield cut(data, [chance.randrange(len(data))])
        yield cut(data, chance.sample(range(len(data)), k=12))


@each_of(RECORDINGS)
@pytest.mark.parametrize("want_thinking", [True, False])
def test_conservation(recording: Recording, want_thinking: bool) -> None:
    for chunks in some_cuttings(recording.data):
        rewriter = recording.rewriter(want_thinking=want_thinking)
        assert run(rewriter, chunks) == recording.data, [len(chunk) for chunk in chunks]
        assert not rewriter.edits


@each_of(RECORDINGS)
def test_no_loss(recording: Recording) -> None:
    """Wherever an answer breaks off, all that came has gone out."""
    chance = random.Random(len(recording.data))
    for _ in range(max(3, BUDGET // len(recording.data))):
        broken = recording.data[: chance.randrange(len(recording.data))]
        assert run(recording.rewriter(want_thinking=True), [broken], ABORT) == broken


@each_of(LEAKING)
def test_no_leak_survives_anywhere(recording: Recording) -> None:
    leaky = leaks.with_leaks(recording)
    out = run(recording.rewriter(), [leaky.data])
    banned = list(leaks.PATH_NEEDLES)
    if not any(leaks.CLAIM in text for text in leaky.wanted.values()):  # as in code it may
        banned.append(leaks.CLAIM)
    found = [out.decode(), *leaks.said(recording, out).values()]
    if recording.streamed:
        for frame in recording.frames(out):
            found += leaks.strings(leaks.document_of(frame))
    else:
        found += leaks.strings(json.loads(out))
    for needle in banned:
        assert not [text for text in found if needle in text]


@each_of(LEAKING)
def test_what_leaks_are_in_is_what_one_shot_makes_of_it(recording: Recording) -> None:
    leaky = leaks.with_leaks(recording)
    rewriter = recording.rewriter()
    out = run(rewriter, [leaky.data])
    said = leaks.said(recording, out)
    for key, text in leaky.wanted.items():
        assert said[key] == text, key
    assert rewriter.edits
    for chunks in ([leaky.data[:1], leaky.data[1:]], every(leaky.data, 1), every(leaky.data, 97)):
        assert run(recording.rewriter(), chunks) == out


CITING = [
    one
    for one in LEAKING
    if any(
        citation.end and at(json.loads(document.raw), citation.end)
        for document in leaks.documents(one, one.data)
        for reading in document.readings
        for citation in reading.citations
    )
]


@each_of(CITING)
def test_citations_point_to_what_they_quote(recording: Recording) -> None:
    out = run(recording.rewriter(), [leaks.with_leaks(recording).data])
    texts = leaks.said(recording, out)
    for document in leaks.documents(recording, out):
        for citation in (one for reading in document.readings for one in reading.citations):
            start, end, quote = (
                at(json.loads(document.raw), path) if path else None
                for path in (citation.start, citation.end, citation.quote)
            )
            if isinstance(quote, str) and isinstance(end, int):
                wanted = leaks.between(texts[citation.key], start or 0, end, citation.unit)
                assert quote == wanted


TEXTS = frozenset(
    {
        *("content", "reasoning", "reasoning_content", "reasoning_details", "refusal", "text"),
        *("thinking", "partial_json", "cited_text", "data", "message", "explanation"),
        *("stringValue", "code", "output", "chosenCandidates", "topCandidates", "response"),
        *("tokens", "token_logprobs", "top_logprobs", "text_offset", "logprobs"),
        *("startIndex", "endIndex", "completion_probabilities"),
        *("delta", "queries", "command", "diff", "summary", "annotations"),
        *("start_index", "end_index", "index", "output_text", "sequence_number"),
        *("stdout", "stderr"),
    }
)


CALLS = frozenset({"input", "arguments", "args", "action", "operation"})


def shape(frame: Frame) -> object:
    """A frame without its texts and their tokens."""
    document = leaks.document_of(frame)
    return frame.raw if document is None else _bare(document)


def _bare(value: object) -> object:
    if isinstance(value, dict):
        texts = {name for name, item in value.items() if name in TEXTS and type(item) is not dict}
        return {name: _bare(value[name]) for name in value.keys() - texts - CALLS}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def is_delta(frame: Frame) -> bool:
    """Whether this could be a frame of ours: only more of a text."""
    document = leaks.document_of(frame) or {}
    if "choices" in document:
        [choice] = document["choices"]
        return choice["finish_reason"] is None and not document.get("usage")
    if "candidates" in document.get("response", document):
        [candidate] = document.get("response", document)["candidates"]
        return not candidate.keys() - {"content", "index"} and "usageMetadata" not in document
    if "created_at" in document:
        return document["done"] is False and "tool_calls" not in document.get("message", ())
    kind = str(document.get("type"))
    return kind.endswith((".delta", "content_block_delta")) or document.get("stop") is False


def numbers(frames: list[Frame]) -> list[int]:
    """Of those events that have one."""
    documents = [leaks.document_of(frame) or {} for frame in frames]
    return [one["sequence_number"] for one in documents if "sequence_number" in one]


@each_of([one for one in LEAKING if one.streamed])
def test_events_keep_their_order_and_number(recording: Recording) -> None:
    leaky = leaks.with_leaks(recording).data
    went = recording.frames(run(recording.rewriter(), [leaky]))
    given = numbers(recording.frames(leaky))
    if given == list(range(len(given))):
        assert numbers(went) == list(range(len(numbers(went))))
    for frame in recording.frames(leaky):
        while shape(went[0]) != shape(frame):
            assert is_delta(went.pop(0)), "something else than a delta was added or changed"
        went.pop(0)
    assert all(map(is_delta, went))


def test_requests_are_rewritten_once_and_for_all() -> None:
    for name, protocol, body in requests():
        assert RequestRewriter(protocol, Layers(neutralize=False)).rewrite(body) == body, name
        once = RequestRewriter(protocol, Layers()).rewrite(body)
        assert RequestRewriter(protocol, Layers()).rewrite(once) == once, name


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """A recording in which a few bytes are lost, doubled, put in or turned into others."""
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 40))
        piece = draw(
            st.just(b"")
            | st.binary(max_size=4)
            | st.sampled_from([b"\n", b"\r\n", b"\r", b'"', b"\\", b"}", b"data: ", b"null", b"/"])
            | st.just(data[place : place + 2 * length])
        )
        data = data[:place] + piece + data[place + length :]
    return data


@given(st.data(), st.sampled_from(OWN), st.booleans(), st.booleans())
def test_fuzz(data: st.DataObject, recording: Recording, broken: bool, thinking: bool) -> None:
    """Nothing raises, and nothing is lost."""
    answer = data.draw(st.binary(max_size=200) | mutated(recording.data))
    rewriter = recording.rewriter(want_thinking=thinking)
    chunks = data.draw(pieces(answer))
    with mock.patch.object(waiting, "MAX_WAITING", 1000):  # the byte-for-byte law without its bound
        out = run(rewriter, chunks, ABORT) if broken else run(rewriter, chunks)
    if not rewriter.edits:
        assert out == answer


@given(st.data(), st.sampled_from(OWN))
def test_fuzz_with_leaks(data: st.DataObject, recording: Recording) -> None:
    answer = data.draw(mutated(leaks.with_leaks(recording).data))
    chunks = data.draw(pieces(answer))
    whole = run(recording.rewriter(), [answer])
    assert run(recording.rewriter(), chunks) == whole
