"""What a protocol module makes of a JSON document: the texts in it, and what the document ends.

This is the seam between the protocols and the rewriter. A protocol is one module with the
functions of `Protocol`; it says where texts stand and how they belong together, and knows nothing
of what is done to them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Literal, NamedTuple
from typing import Protocol as Interface

from mitmproxy_windsurf.wire.splice import Path

Json = dict[str, Any]

Channel = Literal["text", "thinking", "tool_input", "tool_text", "refusal", "result", "error"]
"""text, thinking, tool_input (JSON), tool_text (a tool's free text), refusal, result (of server-run
tools), error."""

Target = Literal["system", "tools"]


class Key(NamedTuple):
    """Which text a delta belongs to. Texts of one `group` (a choice, a message) follow one another.

    A `copy` repeats a text of its group in another place and in other pieces.
    """

    group: Hashable
    channel: Channel
    item: Hashable = 0
    copy: bool = False


class Part(NamedTuple):
    """One text in a document. `paths` are all places where the very same text stands.

    With `key` None the text is complete in itself: it continues nothing and nothing continues it. A
    `cumulative` text is all of its key's text so far, not what is new. A text that comes `again` is
    all of its key's text once more: the text has ended, before this document if not earlier.
    """

    channel: Channel
    text: str
    paths: tuple[Path, ...]
    key: Key | None = None
    cumulative: bool = False
    again: bool = False


Unit = Literal["characters", "utf8"]


class Citation(NamedTuple):
    """Numbers at `start` and `end` that count, in `unit`s, into the text of `key`, and a copy at
    `quote` of what stands there; each may be absent."""

    key: Key
    start: Path | None = None
    end: Path | None = None
    quote: Path | None = None
    unit: Unit = "characters"


class Reading:
    """What one document says, in this order: parts, then ends."""

    __slots__ = (
        "broken",
        "citations",
        "counts",
        "echoes",
        "ended",
        "parts",
        "signed",
        "started",
        "tokens",
    )

    def __init__(
        self,
        parts: list[Part] | None = None,
        *,
        signed: list[tuple[Key, str]] | None = None,
        ended: list[tuple[Hashable, Hashable]] | None = None,
        broken: bool = False,
    ) -> None:
        self.parts: list[Part] = [] if parts is None else parts
        self.started: list[Key] = []
        """Texts that begin here, with or without a part: they end texts of other channels in their
        group."""
        self.tokens: list[tuple[Hashable, Channel, Path]] = []
        """(group, channel, path) of arrays that repeat a text token by token."""
        self.counts: list[tuple[Key, Path]] = []
        """Arrays that count, token by token, into all of a text: of no use once it has changed."""
        self.citations: list[Citation] = []
        self.echoes: list[tuple[Path, str]] = []
        """Paths and texts of what the request said, which come back."""
        self.signed: list[tuple[Key, str]] = [] if signed is None else signed
        """Thinking texts and what stands in the place of their signature."""
        self.ended: list[tuple[Hashable, Hashable]] = [] if ended is None else ended
        """(group, item) of the texts that end here, well; `ALL` stands for every one."""
        self.broken = broken
        """The stream failed: what is held must come back."""


class Everything:
    """Equal to every group or item."""

    def __repr__(self) -> str:
        return "ALL"


ALL = Everything()


class Prompt(NamedTuple):
    """Texts of a request that the model reads as one: `texts` stand at `paths`.

    `elements` are the array elements around them, to be removed where a text becomes empty.
    """

    target: Target
    texts: tuple[str, ...]
    paths: tuple[Path, ...]
    elements: tuple[Path | None, ...]
    place: str


class SignedThought(NamedTuple):
    """Thinking that comes back in a request."""

    text: str
    signature: str
    path: Path


class Extra(NamedTuple):
    """A document to send in addition, and the SSE event name that goes with it."""

    event: str | None
    document: Json


class Protocol(Interface):
    """The functions of a protocol module."""

    def prompts(self, body: Json) -> Iterator[Prompt]:
        """The system prompts and tool descriptions of a request."""
        ...

    def signed_thoughts(self, body: Json) -> Iterator[SignedThought]:
        """The thinking in the history of a request that carries a signature."""
        ...

    def read(self, document: Json) -> Reading:
        """The texts of one streamed document."""
        ...

    def read_whole(self, document: Json) -> Iterator[Reading]:
        """The texts of an answer that is not streamed, in the steps a stream would have."""
        ...

    def slot(self, document: Json, key: Key) -> Path | None:
        """Where in this streamed document more text of `key` could ride: a string, a null or an
        absent member."""
        ...

    def delta(self, key: Key, text: str, like: Json) -> Extra:
        """A document of its own for more text of `key`, in the manner of `like`, one of the
        stream's documents."""
        ...
