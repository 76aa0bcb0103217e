"""How an exchange ended, told from what mitmproxy says."""

import pytest
from mitmproxy import http

from mitmproxy_windsurf.proxy.outcome import outcome


@pytest.mark.parametrize(
    ("status", "error", "blocked", "ended"),
    [
        (200, None, None, "complete"),
        (404, None, None, "failed"),
        (529, None, "HTTP 529", "blocked"),
        (200, None, "HTTP 200 with an error event", "blocked"),
        (200, "Client disconnected.", None, "disconnected"),
        (200, "stream reset by client (CANCEL)", None, "disconnected"),
        (200, "stream reset by client (INTERNAL_ERROR)", None, "broken"),
        (200, "peer closed connection", None, "broken"),
        (None, "connection failed", None, "broken"),
        (None, None, None, "broken"),
    ],
)
def test_every_end_has_one_word(
    status: int | None, error: str | None, blocked: str | None, ended: str
) -> None:
    response = http.Response.make(status) if status else None
    assert outcome(response, error, blocked) == ended
