"""Recorded answers: our own in `tests/streams`, and the corpus that $WINDSURF_CORPUS names.

The corpus is other people's data and no part of the project.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter, signatures
from mitmproxy_windsurf.wire.framing import Frame, Framer
from mitmproxy_windsurf.wire.json_array import JSONArrayFramer
from mitmproxy_windsurf.wire.ndjson import NDJSONFramer
from mitmproxy_windsurf.wire.sse import SSEFramer
from playbook import MODEL

STREAMS: dict[str, tuple[str, type[Framer]]] = {
    ".sse": ("text/event-stream", SSEFramer),
    ".ndjson": ("application/x-ndjson", NDJSONFramer),
    ".jsonstream": ("application/json", JSONArrayFramer),
}
CORPUS = os.environ.get("WINDSURF_CORPUS", "")


class Recording(NamedTuple):
    name: str
    protocol: str
    data: bytes

    @property
    def streamed(self) -> bool:
        return self._suffix in STREAMS

    @property
    def content_type(self) -> str:
        return STREAMS[self._suffix][0] if self.streamed else "application/json"

    @property
    def _suffix(self) -> str:
        return Path(self.name).suffix

    def framer(self) -> Framer:
        """What cuts a stream like this one into frames."""
        return STREAMS[self._suffix][1]()

    def frames(self, data: bytes) -> list[Frame]:
        """The frames of an answer like this one; what stands behind the last comes as one more."""
        framer = self.framer()
        found = framer.feed(data) + framer.flush()
        rest = framer.release()
        return [*found, Frame(rest, ())] if rest else found

    def rewriter(
        self, layers: Layers | None = None, *, want_thinking: bool = False
    ) -> ResponseRewriter:
        """A rewriter that cleans thinking too, whatever signs it."""
        return ResponseRewriter(
            self.protocol,
            layers or Layers(),
            model=MODEL,
            want_thinking=want_thinking,
            content_type=self.content_type,
            signatures=signatures.Signatures("scrub"),
        )


_PROTOCOLS = (
    ("chat_", "openai_chat"),
    ("openai_chat_", "openai_chat"),
    ("anthropic_", "anthropic"),
    ("llamacpp_anthropic_", "anthropic"),
    ("gemini_", "gemini"),
    ("ollama_chat", "ollama"),
    ("ollama_generate", "ollama"),
    ("completions_", "openai_completions"),
    ("responses_", "openai_responses"),
    ("llamacpp_responses_", "openai_responses"),
    ("ollama_responses_", "openai_responses"),
)
_DIRECTORIES = {
    "anthropic-messages": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
    "openai-chat": "openai_chat",
    "openai-completions": "openai_completions",
    "openai-responses": "openai_responses",
}


def _own() -> Iterator[Recording]:
    yield from _by_prefix(Path(__file__).parent / "streams")


def _by_prefix(directory: Path) -> Iterator[Recording]:
    for path in _answers(directory):
        for prefix, protocol in _PROTOCOLS:
            if path.name.startswith(prefix):
                yield Recording(path.name, protocol, path.read_bytes())


def _answers(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.suffix in {".json", *STREAMS})


def _corpus() -> Iterator[Recording]:
    if CORPUS:
        root = Path(CORPUS)
        for directory, protocol in _DIRECTORIES.items():
            for path in _answers(root / directory):
                yield Recording(f"{directory}/{path.name}", protocol, path.read_bytes())
        yield from _by_prefix(root / "_derived")


OWN = list(_own())
RECORDINGS = OWN + list(_corpus())


def requests() -> Iterator[tuple[str, str, bytes]]:
    """Names, protocols and bodies of the requests in the corpus."""
    for directory, protocol in _DIRECTORIES.items():
        for path in (
            sorted((Path(CORPUS) / directory / "requests").glob("*.json")) if CORPUS else ()
        ):
            yield path.name, protocol, path.read_bytes()
