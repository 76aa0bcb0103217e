"""What counts as a refusal of the prompt."""

import pytest

from mitmproxy_windsurf.proxy.verdict import verdict

EVENT = b'data: {"choices":[{"delta":{"content":"say \\"error\\": {"}}]}\n\n'


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (529, b"", "HTTP 529"),
        (451, b"", "HTTP 451"),
        (400, b'{"error":{"code":"permission_denied"}}', "HTTP 400"),
        (403, b'{"error":{"message":"violates our usage policies"}}', "HTTP 403"),
        (401, b'{"error":{"message":"abuse detected"}}', "HTTP 401"),
        (401, b'{"error":{"message":"invalid x-api-key"}}', None),
        (401, b'{"error":{"type":"authentication_error"}}', None),
        (400, b'{"error":{"message":"messages.0.role: Input should be user"}}', None),
        (403, b'{"error":{"message":"quota exceeded by policy"}}', None),
        (429, b'{"error":{"message":"blocked: rate limit"}}', None),
        (500, b"policy", None),
        (502, b"", None),
        (200, b'{"error":{}}', None),
    ],
)
def test_by_status(status: int, body: bytes, expected: str | None) -> None:
    assert verdict(status, body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "HTTP 200 with an empty stream"),
        (b": ping\n\n", "HTTP 200 with an empty stream"),
        (b'event: error\ndata: {"type":"error","error":{}}\n\n', "HTTP 200 with an error event"),
        (b'data: {"error":{"message":"no"}}\n\n', "HTTP 200 with an error event"),
        (b'data: {"error": "no"}\n\n', "HTTP 200 with an error event"),
        (EVENT + b'data:{"type": "error"}\n\n', "HTTP 200 with an error event"),
        (b'data: {"error":{"type":"rate_limit_error"}}\n\n', None),
        (b'data: {"error":null,"choices":[]}\n\n', None),
        (EVENT, None),
        (
            b'{"response":"Hi","done":false}\n{"error":"out of memory"}\n',
            "HTTP 200 with an error event",
        ),
        (b'[{"error":{"code":500}}]', "HTTP 200 with an error event"),
        (b'[{"candidates": []}\n,\r\n{\n  "error": {}\n}\n]', "HTTP 200 with an error event"),
        (b'data: {}\r\n\r\n{\r\n  "error": {}\r\n}', "HTTP 200 with an error event"),
        (b'{"response":"Hi","done":false}\n', None),
        (b'[{"candidates": [\n  {"error": {}}]}\n]', None),
        (b"[]", "HTTP 200 with an empty stream"),
    ],
)
def test_streams(body: bytes, expected: str | None) -> None:
    assert verdict(200, body, streamed=True) == expected
