"""Answers: bytes in, bytes out, streamed or whole.

Nothing raises and nothing is lost: what cannot be read passes on as it came, with one warning for
each kind of trouble.
"""

from __future__ import annotations

from mitmproxy_windsurf.rewriter.bodies import EventStream, WholeBody
from mitmproxy_windsurf.rewriter.documents import DocumentRewriter
from mitmproxy_windsurf.rewriter.echoes import Echoes
from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.rewriter.signatures import Signatures
from mitmproxy_windsurf.rewriter.texts import Texts
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.wire import detect
from mitmproxy_windsurf.wire.framers import framer_of

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"


class ResponseRewriter:
    """One answer of `protocol`. The three verbs are those of a transform, over bytes.

    Whether the answer is a stream or one document shows in its first byte and, where that does not
    tell, in its `content_type`. A `status` of 400 or more makes an answer
    in any shape an error, whose strings are cleaned of private paths. With `keep_visible` an answer
    that repeats the reasoning stays if nothing else of the turn can be seen. `signatures` is what
    is known of the upstream, shared by all its answers and the requests to it; `echoes` is what the
    request changed, for upstreams that show their prompt.

    Raises:
        KeyError: no such protocol.
    """

    def __init__(
        self,
        protocol: str,
        layers: Layers,
        *,
        model: str | None,
        want_thinking: bool,
        want_json: bool = False,
        status: int = 200,
        content_type: str = "",
        keep_visible: bool = False,
        signatures: Signatures | None = None,
        echoes: Echoes | None = None,
    ) -> None:
        self._shadow = layers.shadow
        self._texts = Texts(
            layers,
            model=model,
            want_thinking=want_thinking,
            want_json=want_json,
            keep_visible=keep_visible,
            signatures=signatures or Signatures(),
        )
        self._documents = DocumentRewriter(detect.protocol(protocol), self._texts, echoes)
        self._protocol = protocol
        self._content_type = content_type
        self._status = status
        self._max_frame = layers.max_frame
        self._start = b""
        self._body: EventStream | WholeBody | None = None

    @property
    def edits(self) -> list[Edit]:
        """What was changed so far."""
        return self._texts.edits

    @property
    def warnings(self) -> list[str]:
        """What went wrong, one line for each kind of trouble."""
        found = list(self._body.warnings) if self._body else []
        if self._texts.failures:
            found.append(
                f"a layer failed, its text passed on unchanged: {self._texts.failures[0]!r}"
            )
        return found

    @property
    def failures(self) -> int:
        """How often a layer failed, so that something passed on as it came."""
        return len(self._texts.failures) + (self._body.failures if self._body else 0)

    @property
    def held(self) -> int:
        """How many characters of its texts are held now, at the most."""
        return self._texts.held

    @property
    def kept_visible(self) -> int:
        """Answers that repeat the reasoning and went out all the same."""
        return self._texts.kept_visible

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes and return what is decided; never an empty chunk."""
        out = self._body.feed(data) if self._body else self._begin(data)
        return ([data] if data else []) if self._shadow else out

    def flush(self) -> list[bytes]:
        """The answer ended well: return what was held."""
        out = self._body.flush() if self._body else _chunks(self._start)
        return [] if self._shadow else out

    def abort(self) -> list[bytes]:
        """The answer broke: give back what is held."""
        out = self._body.abort() if self._body else _chunks(self._start)
        return [] if self._shadow else out

    def _begin(self, data: bytes) -> list[bytes]:
        """A BOM and blanks say nothing and pass at once: servers keep a line alive with them."""
        data = self._start + data
        self._start = b""
        if len(data) < len(_BOM) and _BOM.startswith(data):
            self._start = data
            return []
        rest = data.removeprefix(_BOM).lstrip(_BLANK)
        blank = _chunks(data[: len(data) - len(rest)])
        if not rest:
            return blank
        self._body = self._shape(rest[:1])
        return blank + self._body.feed(rest)

    def _shape(self, first: bytes) -> EventStream | WholeBody:
        framer = framer_of(self._protocol, self._content_type, first)
        plain = self._status >= 400 and not self._content_type.startswith("text/event-stream")
        if framer is None or plain:
            return WholeBody(self._documents, status=self._status)
        return EventStream(self._documents, framer(limit=self._max_frame))


def _chunks(data: bytes) -> list[bytes]:
    return [data] if data else []
