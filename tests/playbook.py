"""A small language for streamed answers: feed events, say what comes out.

    with Playbook("openai_chat") as stream:
        stream.holds(chunk(content="in /opt/wind"))
        stream >> chunk(content="surf/a") << chunk(content="in ") << chunk(content="<workspace>")
        stream >> END

`stream >> event` feeds one event and `stream << event` says that the next one to come out is this,
byte for byte, or just as well with `Like(event)`. All that comes out has to be told before more is
fed, and a book that does not `END` or `ABORT` fails. In the end the same bytes are fed once more,
one by one and in other pieces, and must come out the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Final

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from mitmproxy_windsurf.wire.sse import SSEFramer
from strategies import every

Json = dict[str, Any]
MODEL: Final = "claude-opus-4-6"
PRIVATE: Final = "/opt/windsurf"


class End:
    """How an answer ends."""

    def __init__(self, name: str, verb: Callable[[ResponseRewriter], list[bytes]]) -> None:
        self.name = name
        self.verb = verb


END: Final = End("END", ResponseRewriter.flush)
ABORT: Final = End("ABORT", ResponseRewriter.abort)


class Like(bytes):
    """Stands for any event of the same name with the same document, however it is spelled."""


def event(
    document: Json | str, name: str | None = None, *, eol: str = "\n", space: str = " "
) -> bytes:
    """An event as a server writes it; `document` may be raw JSON text."""
    raw = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    head = f"event:{space}{name}{eol}" if name else ""
    return f"{head}data:{space}{raw}{eol}{eol}".encode()


def chunk(choice: int = 0, finish: str | None = None, **delta: Any) -> bytes:
    """A chunk of Chat Completions with one choice."""
    return chunks({"index": choice, "delta": delta, "finish_reason": finish})


def chunks(*choices: Json, **members: Any) -> bytes:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    return event({**head, "choices": list(choices), **members})


DONE: Final = b"data: [DONE]\n\n"


def anthropic(kind: str, **members: Any) -> bytes:
    """An event of Messages."""
    return event({"type": kind, **members}, kind)


def start(index: int, kind: str, **members: Any) -> bytes:
    content: Json = {"type": kind}
    if kind in ("text", "thinking"):
        content[kind] = ""
    return anthropic("content_block_start", index=index, content_block=content | members)


_DELTAS: Final = {
    "text": "text_delta",
    "thinking": "thinking_delta",
    "partial_json": "input_json_delta",
    "signature": "signature_delta",
}


def delta(index: int, **member: str) -> bytes:
    """`delta(0, text="a")`; the other members are thinking, partial_json and signature."""
    [name] = member
    inner = {"type": _DELTAS[name], **member}
    return anthropic("content_block_delta", index=index, delta=inner)


def stop(index: int) -> bytes:
    return anthropic("content_block_stop", index=index)


MESSAGE_END: Final = (
    anthropic("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 1}),
    anthropic("message_stop"),
)
PING: Final = b'event: ping\ndata: {"type": "ping"}\n\n'
COMMENT: Final = b": keep-alive\n\n"


class Playbook:
    """One streamed answer on its way through a rewriter."""

    def __init__(
        self, protocol: str, layers: Layers | None = None, *, model: str | None = MODEL, **more: Any
    ) -> None:
        def rewriter() -> ResponseRewriter:
            options = {"want_thinking": False, **more}
            return ResponseRewriter(protocol, layers or Layers(), model=model, **options)

        self._new = rewriter
        self.rewriter = rewriter()
        self._fed: list[bytes] = []
        self._out: list[bytes] = []
        self._framer = SSEFramer()
        self._untold: list[bytes] = []
        self._end: End | None = None

    def __enter__(self) -> Playbook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            assert self._end, "the book has no END and no ABORT"
            self._nothing_untold()
            self._play_again()

    def __rshift__(self, more: bytes | End) -> Playbook:
        assert self._end is None, "the answer has ended"
        self._nothing_untold()
        if isinstance(more, End):
            self._end = more
            self._take(more.verb(self.rewriter))
            self._untold += _raw(self._framer)
        else:
            self._fed.append(more)
            self._take(self.rewriter.feed(more))
        return self

    def __lshift__(self, wanted: bytes) -> Playbook:
        assert self._untold, f"nothing more came out, but this was to come: {wanted!r}"
        came = self._untold.pop(0)
        if isinstance(wanted, Like):
            assert documents(came) == documents(wanted)
            assert _name(came) == _name(wanted)
        else:
            assert came == wanted
        return self

    def passes(self, *events: bytes) -> Playbook:
        """Each of these comes out at once, as it is."""
        for one in events:
            self >> one << one
        return self

    def holds(self, *events: bytes) -> Playbook:
        """None of these comes out yet."""
        for one in events:
            self >> one
            self._nothing_untold()
        return self

    def take(self) -> list[bytes]:
        """What has come out and is not told."""
        events, self._untold = self._untold, []
        return events

    @property
    def output(self) -> bytes:
        return b"".join(self._out)

    def _take(self, out: list[bytes]) -> None:
        assert b"" not in out, "an empty chunk ends a chunked body"
        self._out += out
        self._untold += [frame.raw for piece in out for frame in self._framer.feed(piece)]

    def _nothing_untold(self) -> None:
        assert not self._untold, f"this came out and was not told: {self._untold}"

    def _play_again(self) -> None:
        assert self._end
        stream = b"".join(self._fed)
        for size in (1, 2, 3, 7, 61, len(stream)):
            again = run(self._new(), every(stream, size), self._end)
            assert again == self.output, f"in pieces of {size} the output is another"


def _name(one: bytes) -> list[bytes]:
    return [line.split(b":")[1].strip() for line in one.splitlines() if line.startswith(b"event:")]


def _raw(framer: SSEFramer) -> list[bytes]:
    return [frame.raw for frame in framer.flush()]


def run(rewriter: ResponseRewriter, pieces: Iterable[bytes], end: End = END) -> bytes:
    """All that comes out of a rewriter."""
    out = [chunk for piece in pieces for chunk in rewriter.feed(piece)] + end.verb(rewriter)
    assert b"" not in out
    return b"".join(out)


def documents(stream: bytes) -> Sequence[Json]:
    """The JSON documents in a stream."""
    framer = SSEFramer()
    frames = framer.feed(stream) + framer.flush()
    return [json.loads(frame.data) for frame in frames if frame.data.strip().startswith(b"{")]
