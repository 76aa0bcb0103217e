"""Recorded answers: our own in `tests/streams`, and the corpus that $WINDSURF_CORPUS names.

The corpus is other people's data and no part of the project.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter, signatures
from playbook import MODEL

CORPUS = os.environ.get("WINDSURF_CORPUS", "")


class Recording(NamedTuple):
    name: str
    protocol: str
    data: bytes

    @property
    def streamed(self) -> bool:
        return self.name.endswith(".sse")

    def rewriter(
        self, layers: Layers | None = None, *, want_thinking: bool = False
    ) -> ResponseRewriter:
        """A rewriter that cleans thinking too, whatever signs it."""
        return ResponseRewriter(
            self.protocol,
            layers or Layers(),
            model=MODEL,
            want_thinking=want_thinking,
            signatures=signatures.Signatures("scrub"),
        )


_PROTOCOLS = (
    ("chat_", "openai_chat"),
    ("openai_chat_", "openai_chat"),
    ("anthropic_", "anthropic"),
    ("llamacpp_anthropic_", "anthropic"),
)
_DIRECTORIES = {"anthropic-messages": "anthropic", "openai-chat": "openai_chat"}


def _own() -> Iterator[Recording]:
    yield from _by_prefix(Path(__file__).parent / "streams")


def _by_prefix(directory: Path) -> Iterator[Recording]:
    for path in sorted(directory.glob("*.[sj]*")):
        for prefix, protocol in _PROTOCOLS:
            if path.name.startswith(prefix):
                yield Recording(path.name, protocol, path.read_bytes())


def _corpus() -> Iterator[Recording]:
    if CORPUS:
        root = Path(CORPUS)
        for directory, protocol in _DIRECTORIES.items():
            for path in sorted((root / directory).glob("*.[sj]*")):
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
