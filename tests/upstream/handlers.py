"""Handlers that tests serve."""

from __future__ import annotations

import asyncio

from mitmproxy_windsurf.upstream.server import Request, Responder


async def echo(request: Request, responder: Responder) -> None:
    """Says what arrived."""
    seen = f"{request.method} {request.path} {request.query} {request.body.decode('latin-1')}"
    await responder.respond(200, seen.encode("latin-1"))


class Endless:
    """Sends until it is cancelled, and remembers that it was."""

    def __init__(self, piece: bytes = b"x" * 1024) -> None:
        self.piece = piece
        self.sent = 0
        self.cancelled = asyncio.Event()

    async def __call__(self, request: Request, responder: Responder) -> None:
        try:
            await responder.start(200)
            while True:
                await responder.send(self.piece)
                self.sent += len(self.piece)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


async def quiet(request: Request, responder: Responder) -> None:
    """Begins an answer and then says nothing more."""
    await responder.start(200)
    await responder.send(b"begun")
    await asyncio.Event().wait()
