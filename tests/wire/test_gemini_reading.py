"""The texts in an answer of Gemini: every kind of part, and what stands around them."""

from collections.abc import Iterator
from typing import Any

import pytest

from mitmproxy_windsurf.wire.gemini_reading import read, read_whole
from mitmproxy_windsurf.wire.parts import ALL, Channel, Citation, Json, Key, Part, Reading
from mitmproxy_windsurf.wire.splice import Path

WHERE: Path = ("candidates", 0, "content", "parts")
TEXT = Key(0, "text")
THOUGHT = Key(0, "thinking", "thought")


def answer(*parts: Any, **more: Any) -> Json:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **more}]}


def text(place: int, said: str, key: Key = TEXT) -> Part:
    return Part(key.channel, said, ((*WHERE, place, "text"),), key)


def readings(document: Json) -> Iterator[Reading]:
    """The one of a stream, and those of a whole answer."""
    yield read(document)
    yield from read_whole(document)


def test_texts_and_thoughts_are_parts_in_their_order() -> None:
    document = answer(
        {"text": "a", "thought": True}, {"text": "b"}, {"text": "c", "thought": False}, {"text": ""}
    )
    parts = [text(0, "a", THOUGHT), text(1, "b"), text(2, "c"), text(3, "")]
    assert read(document).parts == parts
    assert [part for reading in read_whole(document) for part in reading.parts] == parts


def test_candidates_are_told_by_their_index() -> None:
    document: Json = {"candidates": [{"index": 1}, {"content": {"parts": [{"text": "a"}]}}, None]}
    document["candidates"][0] |= answer({"text": "b"}, finishReason="STOP")["candidates"][0]
    reading = read(document)
    assert [part.key for part in reading.parts] == [Key(1, "text"), Key(1, "text")]
    assert reading.ended == [(1, ALL)]


@pytest.mark.parametrize("name", ["thoughtSignature", "thought_signature"])
def test_a_signature_on_a_thought_ends_it(name: str) -> None:
    for said in ("a", ""):
        reading = read(answer({"text": said, "thought": True, name: "s"}))
        assert reading.parts == [text(0, said, THOUGHT)] * bool(said)
        assert reading.signed == [(THOUGHT, "s")]
        assert reading.ended == [(0, "thought")]


def test_no_other_signature_signs_a_thought() -> None:
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s1"}
    reading = read(answer(call, {"text": "a", "thoughtSignature": "s2"}))
    assert reading.signed == []
    assert reading.parts == [text(1, "a")]


def test_an_empty_text_takes_nothing_if_it_is_there_for_its_signature_or_behind_a_call() -> None:
    assert read(answer({"text": "", "thoughtSignature": "s"})).parts == []
    for call in ("functionCall", "executableCode", "toolCall"):
        assert read(answer({call: {}}, {"text": ""})).parts == []
    assert read(answer({"codeExecutionResult": {}}, {"text": ""})).parts == [text(1, "")]


@pytest.mark.parametrize(
    ("part", "channel", "where", "tool"),
    [
        ({"functionCall": {"args": {"a": ["x"]}}}, "tool_input", ("args", "a", 0), "tool_input"),
        ({"function_call": {"args": "x"}}, "tool_input", ("args",), "tool_input"),
        (
            {"executableCode": {"language": "PYTHON", "code": "x"}},
            "tool_text",
            ("code",),
            "tool_text",
        ),
        ({"codeExecutionResult": {"outcome": "OK", "output": "x"}}, "result", ("output",), None),
        (
            {"toolCall": {"toolType": "T", "args": {"q": "x"}}},
            "tool_input",
            ("args", "q"),
            "tool_input",
        ),
        (
            {"toolResponse": {"toolType": "T", "response": {"r": "x"}}},
            "result",
            ("response", "r"),
            None,
        ),
    ],
)
def test_calls_and_results(part: Json, channel: Channel, where: Path, tool: Channel | None) -> None:
    [kind] = part
    document = answer(part)
    reading = read(document)
    assert reading.parts == [Part(channel, "x", ((*WHERE, 0, kind, *where),))]
    assert [key.channel for key in reading.started] == [tool] * bool(tool)
    assert next(read_whole(document)).parts == reading.parts


def test_streamed_arguments_are_texts_by_their_json_path() -> None:
    def pieces(*found: Json) -> Reading:
        return read(answer({"functionCall": {"partialArgs": list(found), "willContinue": True}}))

    reading = pieces({"jsonPath": "$.a", "stringValue": "x", "willContinue": True})
    key = Key(0, "tool_text", "$.a")
    where = (*WHERE, 0, "functionCall", "partialArgs", 0, "stringValue")
    assert reading.parts == [Part("tool_text", "x", (where,), key)]
    assert reading.ended == []
    assert pieces({"jsonPath": "$.a", "stringValue": ""}).ended == [(0, "$.a")]
    assert pieces({"jsonPath": "$.n", "numberValue": 7}).parts == []
    assert read(answer({"functionCall": {}})).ended == [(0, ALL)]
    assert read(answer({"functionCall": {"name": "f", "willContinue": True}})).ended == []


def test_a_finish_ends_all_of_its_candidate() -> None:
    assert read(answer({"text": "a"}, finishReason="STOP")).ended == [(0, ALL)]
    assert read(answer({"text": "a"})).ended == []
    *_, last = read_whole(answer({"text": "a"}))
    assert last.ended == [(ALL, ALL)]


def test_positions_count_bytes() -> None:
    segment = {"startIndex": 3, "endIndex": 5, "text": "b", "partIndex": 0}
    document = answer(
        {"text": "é b"},
        groundingMetadata={
            "groundingSupports": [{"segment": {"end_index": 2}}, {"segment": segment}]
        },
        citation_metadata={"citationSources": [{"startIndex": 0, "uri": "u"}]},
    )
    place: Path = ("candidates", 0)
    first: Path = (*place, "groundingMetadata", "groundingSupports", 0, "segment")
    second: Path = (*place, "groundingMetadata", "groundingSupports", 1, "segment")
    cited: Path = (*place, "citation_metadata", "citationSources", 0)
    wanted = [
        Citation(TEXT, None, (*first, "end_index"), None, "utf8"),
        Citation(TEXT, (*second, "startIndex"), (*second, "endIndex"), (*second, "text"), "utf8"),
        Citation(TEXT, (*cited, "startIndex"), None, None, "utf8"),
    ]
    for reading in (read(document), list(read_whole(document))[-2]):
        assert reading.citations == wanted


def test_tokens_repeat_the_text() -> None:
    logprobs = {"chosenCandidates": [], "topCandidates": [], "logProbabilitySum": -1.0}
    where: Path = ("candidates", 0, "logprobsResult")
    assert read(answer(logprobsResult=logprobs)).tokens == [
        (0, "text", (*where, "chosenCandidates")),
        (0, "text", (*where, "topCandidates")),
    ]


@pytest.mark.parametrize(
    ("member", "where", "channel"),
    [
        ({"finishMessage": "x"}, ("finishMessage",), "refusal"),
        (
            {"groundingMetadata": {"groundingChunks": [{"retrievedContext": {"text": "x"}}]}},
            ("groundingMetadata", "groundingChunks", 0, "retrievedContext", "text"),
            "result",
        ),
        (
            {"groundingMetadata": {"searchEntryPoint": {"renderedContent": "x"}}},
            ("groundingMetadata", "searchEntryPoint", "renderedContent"),
            "result",
        ),
        (
            {"citationMetadata": {"citations": [{"title": "x"}]}},
            ("citationMetadata", "citations", 0, "title"),
            "result",
        ),
        (
            {"urlContextMetadata": {"urlMetadata": [{"retrievedUrl": "x"}]}},
            ("urlContextMetadata", "urlMetadata", 0, "retrievedUrl"),
            "result",
        ),
    ],
)
def test_texts_around_a_content(member: Json, where: Path, channel: Channel) -> None:
    reading = read({"candidates": [member]})
    assert reading.parts == [Part(channel, "x", (("candidates", 0, *where),))]


def test_a_blocked_prompt() -> None:
    for reading in readings({"promptFeedback": {"blockReasonMessage": "x"}}):
        [part] = reading.parts
        assert part == Part("refusal", "x", (("promptFeedback", "blockReasonMessage"),))


def test_an_error_breaks_the_answer() -> None:
    for reading in readings({"error": {"code": 503, "message": "x"}}):
        assert reading.parts == [Part("error", "x", (("error", "message"),))]
        assert reading.broken


def test_code_assist_nests_the_answer() -> None:
    document = {"response": answer({"text": "a"}, finishReason="STOP"), "traceId": "t"}
    for reading in (read(document), next(read_whole(document))):
        assert reading.parts == [Part("text", "a", (("response", *WHERE, 0, "text"),), TEXT)]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"candidates": None},
        {"candidates": [{"content": None}]},
        {"candidates": [{"content": {"parts": None}}]},
        {"candidates": [{"content": {"parts": [None, {"text": 7}, {"functionCall": None}]}}]},
        {"candidates": [{"groundingMetadata": {"groundingSupports": [None, {"segment": 7}]}}]},
        {"candidates": [{"citationMetadata": {"citations": [None]}, "logprobsResult": None}]},
        {"response": [], "usageMetadata": {}},
        {"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [None]}}]}}]},
        {"candidates": [{"content": {"parts": [{"inlineData": {"data": "x"}}]}}]},
    ],
)
def test_nothing_to_read(document: Json) -> None:
    assert [part for reading in readings(document) for part in reading.parts] == []
