"""The answer to one request: streamed through its rewriter, or rewritten when it is complete."""

from __future__ import annotations

from collections.abc import Callable

from mitmproxy import http

from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.proxy.streaming import DIGEST_HEADERS, BodyStream, open_ended
from mitmproxy_windsurf.rewriter import ResponseRewriter
from mitmproxy_windsurf.wire import decoders


class Answer:
    """`open` and `close` are for an answer that comes bit by bit, `rewrite` for a whole one."""

    def __init__(
        self,
        rewriter: ResponseRewriter,
        warn: Callable[[str], None],
        *,
        keep: int,
        counters: Counters,
    ) -> None:
        self.rewriter = rewriter
        self._warn = warn
        self._keep = keep
        self._counters = counters
        self.streamed = False
        self.failures = 0
        """How often a layer failed."""
        self.damaged = False
        """The client got less than a whole answer, though the upstream ended well."""
        self.sizes: list[int] | None = None
        """Bytes before and after, if anything was changed."""
        self.original: bytes | None = None

    def open(self, request: http.Request, response: http.Response) -> None:
        """Have the body streamed, decoded if need be; what cannot be decoded passes as it is."""
        encoding = response.headers.get("content-encoding", "")
        decoder = None
        if not decoders.is_identity(encoding):
            decoder = decoders.decoder(encoding)
            if decoder is None:
                self._warn(f"the answer passes unread, content-encoding {encoding!r} is not known")
                return
        open_ended(request, response)
        response.headers.pop("content-encoding", None)
        response.stream = BodyStream(
            self.rewriter, self._warn, decoder=decoder, keep=self._keep, counters=self._counters
        )
        self.streamed = True

    def close(self, response: http.Response) -> None:
        """The stream has ended: show what was sent, and let go of the machinery."""
        body = response.stream
        if not isinstance(body, BodyStream):
            return
        response.stream = False
        response.raw_content = bytes(body.sent)
        if not body.sent.complete:
            self._warn(f"only the first {len(response.raw_content)} bytes of the answer are shown")
        self.damaged = body.damaged
        self.failures = body.failures + self.rewriter.failures
        if self.rewriter.edits:
            self.sizes = [body.bytes_in, body.bytes_out]
            self.original = bytes(body.came) if body.came.complete else None

    def rewrite(self, response: http.Response) -> None:
        """Rewrite a complete body and keep its encoding."""
        if not response.raw_content:
            return
        encoding = response.headers.get("content-encoding", "")
        try:
            body = decoders.decode(response.raw_content, encoding)
        except ValueError as error:
            self._warn(f"the answer passes unread: {error}")
            return
        stream = BodyStream(self.rewriter, self._warn, shown=0)
        new = b"".join([*stream(body), *stream(b"")])
        self.failures = stream.failures + self.rewriter.failures
        if new != body:
            response.content = new
            for name in DIGEST_HEADERS:
                response.headers.pop(name, None)
            self.sizes = [len(body), len(new)]
            self.original = body if len(body) <= self._keep else None
