"""An answer says the same whether it is streamed or not."""

import json
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
    run,
    start,
    stop,
)
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
