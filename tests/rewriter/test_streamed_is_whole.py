"""An answer says the same whether it is streamed or not."""

import json
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from playbook import (
    DONE,
    MESSAGE_END,
    MODEL,
    Json,
    chunk,
    delta,
    documents,
    event,
    run,
    start,
    stop,
)
from responses_turn import Turn
from strategies import pieces

WORDS = [
    "/opt/windsurf",
    "/a.py",
    " ",
    "I am ",
    "Cas",
    "cade",
    ", made by Codeium",
    ". ",
    "é",
    '"',
    "\n",
    "`",
]
words = st.lists(st.sampled_from(WORDS), max_size=5).map("".join)
Options = dict[str, Any]
options = st.fixed_dictionaries({"want_thinking": st.booleans(), "keep_visible": st.booleans()})


def rewriter(protocol: str, asked: Options) -> ResponseRewriter:
    return ResponseRewriter(protocol, Layers(), model=MODEL, **asked)


def joined(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """(kind, text) in order, neighbors of one kind joined, and without what is empty."""
    return [
        (kind, "".join(text for _, text in run))
        for kind, run in groupby((piece for piece in pieces if piece[1]), key=itemgetter(0))
    ]


def whole(protocol: str, document: Json, asked: Options) -> Json:
    body = json.dumps(document).encode()
    answer: Json = json.loads(run(rewriter(protocol, asked), [body]))
    return answer


@given(st.data(), words, words, st.none() | words, options)
def test_chat(
    data: st.DataObject, thought: str, text: str, path: str | None, asked: Options
) -> None:
    if data.draw(st.booleans()):
        thought = text
    arguments = None if path is None else json.dumps({"p": path}, ensure_ascii=False)
    events = [
        *(chunk(reasoning_content=piece) for piece in data.draw(pieces(thought))),
        *(chunk(content=piece) for piece in data.draw(pieces(text))),
    ]
    calls: list[Json] = []
    if arguments is not None:
        calls = [{"index": 0, "id": "x", "function": {"name": "f", "arguments": arguments}}]
        for piece in data.draw(pieces(arguments)):
            events.append(chunk(tool_calls=[{"index": 0, "function": {"arguments": piece}}]))
    events += [chunk(finish="stop"), DONE]
    told = {"reasoning_content": "", "content": "", "arguments": ""}
    for document in documents(run(rewriter("openai_chat", asked), events)):
        said = document["choices"][0]["delta"]
        for call in said.get("tool_calls") or ():
            told["arguments"] += call["function"]["arguments"]
        for name in ("reasoning_content", "content"):
            told[name] += said.get(name) or ""
    message = {"reasoning_content": thought, "content": text, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    [answer] = whole("openai_chat", {"choices": [choice]}, asked)["choices"]
    call_text = "".join(one["function"]["arguments"] for one in answer["message"]["tool_calls"])
    assert told == {name: answer["message"].get(name, call_text) for name in told}


@st.composite
def blocks(draw: st.DrawFn) -> list[Json]:
    found: list[Json] = []
    for kind in draw(
        st.lists(st.sampled_from(["thinking", "text", "text", "tool_use"]), max_size=4)
    ):
        said = [block[block["type"]] for block in found if block["type"] in ("thinking", "text")]
        again = bool(said) and draw(st.booleans())
        text = draw(st.sampled_from(said)) if again else draw(words)
        if kind == "tool_use":
            found.append({"type": kind, "id": "x", "name": "f", "input": {"p": text}})
        else:
            found.append({"type": kind, kind: text})
    return found


@given(st.data(), blocks(), options)
def test_messages(data: st.DataObject, content: list[Json], asked: Options) -> None:
    events: list[bytes] = []
    for index, block in enumerate(content):
        kind = block["type"]
        events.append(start(index, kind, **({"input": {}} if kind == "tool_use" else {})))
        name, text = kind, str(block.get(kind))
        if kind == "tool_use":
            name, text = "partial_json", json.dumps(block["input"], ensure_ascii=False)
        events += [delta(index, **{name: piece}) for piece in data.draw(pieces(text))]
        events.append(stop(index))
    told = [""] * len(content)
    for document in documents(run(rewriter("anthropic", asked), [*events, *MESSAGE_END])):
        if document["type"] == "content_block_delta":
            [_, text] = document["delta"].values()
            told[document["index"]] += text
    answer = whole("anthropic", {"type": "message", "content": content}, asked)["content"]
    for streamed, block in zip(told, answer, strict=True):
        found: Any = json.loads(streamed) if block["type"] == "tool_use" else streamed
        assert found == block["input" if block["type"] == "tool_use" else block["type"]]


def gemini_part(kind: str, text: str) -> Json:
    if kind == "call":
        return {"functionCall": {"name": "f", "args": {"p": text}}}
    return {"text": text, **({"thought": True} if kind == "thought" else {})}


def gemini(*parts: Json, finish: str | None = None) -> Json:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}


def gemini_texts(documents: Iterable[Json]) -> list[tuple[str, str]]:
    found = []
    for document in documents:
        for part in document["candidates"][0]["content"]["parts"]:
            if "functionCall" in part:
                found.append(("call", json.dumps(part["functionCall"])))
            else:
                found.append(("thought" if part.get("thought") else "text", part["text"]))
    return joined(found)


kinds = st.lists(st.tuples(st.sampled_from(["thought", "text", "text", "call"]), words), max_size=5)


@given(st.data(), kinds, options, st.booleans())
def test_gemini(
    data: st.DataObject, said: list[tuple[str, str]], asked: Options, as_array: bool
) -> None:
    if data.draw(st.booleans()):  # an answer that repeats the reasoning
        thoughts = [text for kind, text in said if kind == "thought"]
        said = [("thought", text) for text in thoughts] + [("text", "".join(thoughts))]
    elements = []
    for kind, text in said:
        cut = [text] if kind == "call" else data.draw(pieces(text))
        elements += [gemini_part(kind, piece) for piece in cut]
    together = data.draw(st.integers(1, 3))  # parts of one kind in one element
    stream = [
        gemini(*run[index : index + together])
        for _, group in groupby(elements, key=lambda part: part.keys())
        for run in [list(group)]
        for index in range(0, len(run), together)
    ]
    stream.append(gemini({"text": ""}, finish="STOP"))
    if as_array:
        body = json.dumps(stream, indent=1).encode()
        out = run(rewriter("gemini", asked), data.draw(pieces(body)))
        told = gemini_texts(json.loads(out))
    else:
        told = gemini_texts(documents(run(rewriter("gemini", asked), map(event, stream))))
    answer = gemini(*(gemini_part(*one) for one in said), finish="STOP")
    wanted = gemini_texts([whole("gemini", answer, asked)])
    if asked["want_thinking"]:  # text that may be dropped comes later, if thoughts go on
        told, wanted = (sorted(one, key=itemgetter(0)) for one in (told, wanted))
    assert joined(told) == joined(wanted)


def ollama_texts(documents: Iterable[Json]) -> list[tuple[str, str]]:
    found = []
    for document in documents:
        message = document.get("message") or {"content": document.get("response", "")}
        found += [("thinking", message.get("thinking", "")), ("text", message["content"])]
        found += [("call", json.dumps(call)) for call in message.get("tool_calls", ())]
    return joined(found)


@given(st.data(), words, words, st.none() | words, options)
def test_ollama(
    data: st.DataObject, thought: str, text: str, path: str | None, asked: Options
) -> None:
    if data.draw(st.booleans()):
        thought = text
    calls = [] if path is None else [{"function": {"name": "f", "arguments": {"p": path}}}]
    messages: list[Json] = [
        *({"content": "", "thinking": piece} for piece in data.draw(pieces(thought))),
        *({"content": piece} for piece in data.draw(pieces(text))),
        *({"content": "", "tool_calls": [call]} for call in calls),
    ]
    lines = [{"message": message, "done": False} for message in messages]
    lines.append({"message": {"content": ""}, "done": True})
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    streaming = rewriter("ollama", {**asked, "content_type": "application/x-ndjson"})
    out = run(streaming, data.draw(pieces(body)))
    message = {"content": text, "thinking": thought, "tool_calls": calls}
    asked = {**asked, "content_type": "application/json"}
    answer = whole("ollama", {"message": message, "done": True}, asked)
    assert ollama_texts(map(json.loads, out.splitlines())) == ollama_texts([answer])


@given(st.data(), words)
def test_completions(data: st.DataObject, text: str) -> None:
    def document(said: str, finish: str | None) -> Json:
        return {"choices": [{"index": 0, "text": said, "finish_reason": finish}]}

    asked: Options = {"want_thinking": False}
    stream = [event(document(piece, None)) for piece in data.draw(pieces(text))]
    stream += [event(document("", "stop")), DONE]
    out = documents(run(rewriter("openai_completions", asked), stream))
    [answer] = whole("openai_completions", document(text, "stop"), asked)["choices"]
    assert "".join(one["choices"][0]["text"] for one in out) == answer["text"]


@st.composite
def items(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Kinds and texts, of which some are repeated."""
    kinds = ["reasoning", "raw_reasoning", "text", "text", "refusal", "custom", "tool_args_delta"]
    found: list[tuple[str, str]] = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=4)):
        said = [text for _, text in found]
        again = bool(said) and draw(st.booleans())
        found.append((kind, draw(st.sampled_from(said)) if again else draw(words)))
    return found


@given(st.data(), items(), options)
def test_responses(data: st.DataObject, said: list[tuple[str, str]], asked: Options) -> None:
    turn = Turn()
    for kind, text in said:
        turn.say(kind, data.draw(pieces(text)))
    events = [event(one, one["type"]) for one in turn.complete()]
    told = documents(run(rewriter("openai_responses", asked), events))
    streamed = told[-1]["response"]["output"]
    assert streamed == whole("openai_responses", turn.response, asked)["output"]
    deltas = [""] * len(said)
    for one in told:
        if "delta" in one:
            deltas[one["output_index"]] += one["delta"]
        elif one["type"] == "response.output_item.done":
            assert one["item"] == streamed[one["output_index"]]
    assert deltas == [responses_text(item) for item in streamed]


def responses_text(item: Json) -> str:
    for member in ("summary", "content"):
        for part in item.get(member, ()):
            return str(part.get("text", part.get("refusal")))
    return str(item.get("arguments", item.get("input")))
