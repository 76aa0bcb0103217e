"""The answers that are measured with: as a backend says them in Chat Completions, and the same in
each of the client protocols, with what the clients ask for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.sample_texts import TEXTS
from mitmproxy_windsurf.upstream.exchange import json_bytes
from mitmproxy_windsurf.upstream.translate.chat_answer import ChatAnswer
from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS
from mitmproxy_windsurf.upstream.translate.model import Asked

MODEL = "claude-opus-4-6"
PROTOCOLS = ("anthropic", "openai_chat", "openai_responses", "gemini")
MARK = re.compile(rb"\bw(\d{6})\b")
"""Numbers a delta, wherever it is met again."""
_WISH = re.compile(rb"(\d+) words every (\d+) us")


class Wish(NamedTuple):
    """What an answer is to be like: so many deltas, and the seconds between them. It stands in the
    prompt, so that it passes through whatever is between the client and the upstream."""

    words: int
    pause: float

    @property
    def prompt(self) -> str:
        return f"{self.words} words every {round(1e6 * self.pause)} us"

    @classmethod
    def found(cls, request: bytes) -> Wish:
        match = _WISH.search(request)
        assert match, request[:200]
        return cls(int(match[1]), int(match[2]) / 1e6)


class Ask(NamedTuple):
    path: str
    body: dict[str, Any]

    @property
    def data(self) -> bytes:
        return json_bytes(self.body)


def ask(protocol: str, prompt: str) -> Ask:
    """A streamed request."""
    messages = [{"role": "user", "content": prompt}]
    model: dict[str, Any] = {"model": MODEL, "stream": True}
    match protocol:
        case "anthropic":
            return Ask("/v1/messages", {**model, "max_tokens": 100, "messages": messages})
        case "openai_chat":
            return Ask("/v1/chat/completions", {**model, "messages": messages})
        case "openai_responses":
            return Ask("/v1/responses", {**model, "input": prompt})
        case _:
            path = f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
            return Ask(path, {"contents": [{"role": "user", "parts": [{"text": prompt}]}]})


def chat_events(words: int, *, marked: bool = False) -> list[bytes]:
    """An answer in Chat Completions, one event per delta: a quarter reasoning, half text, a quarter
    the arguments of a call. With `marked` it is text alone, and each delta bears its number."""
    if marked:
        deltas = [{"content": f"and w{number:06d} "} for number in range(words)]
    else:
        deltas = [*_mixed(words)]
    finish = "stop" if marked else "tool_calls"
    return [*map(_chunk, deltas), _chunk({}, finish), b"data: [DONE]\n\n"]


def events(protocol: str, chat: list[bytes]) -> list[bytes]:
    """The same answer in another protocol; each item is what one event of the backend's becomes."""
    if protocol == "openai_chat":
        return chat
    asked_for = ask(protocol, "")
    path, _, query = asked_for.path.partition("?")
    asked = Asked(asked_for.body, path, query)
    dialect = DIALECTS[protocol]
    writer = dialect.writer(asked, dialect.request(asked))
    reader = ChatAnswer()
    out = [b"".join(map(writer.feed, reader.feed(event))) for event in chat]
    out.append(b"".join(map(writer.feed, reader.flush())) + writer.end())
    return [one for one in out if one]


def _mixed(words: int) -> Iterator[dict[str, Any]]:
    text = TEXTS["English prose"](4 * words + 4)
    deltas = [text[at : at + 4] for at in range(0, 4 * words, 4)]
    quarter = words // 4
    for delta in deltas[:quarter]:
        yield {"reasoning_content": delta}
    for delta in deltas[quarter : words - quarter]:
        yield {"content": delta}
    arguments = json.dumps({"content": text[: 4 * quarter - 20]})
    call = {"index": 0, "id": "call_1", "type": "function"}
    yield {"tool_calls": [{**call, "function": {"name": "write", "arguments": ""}}]}
    for at in range(0, len(arguments), 4):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": arguments[at : at + 4]}}]}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: %s\n\n" % json_bytes(document)
