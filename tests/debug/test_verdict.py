"""What counts as a refusal of the prompt."""

import re

import pytest

from mitmproxy_windsurf.debug.verdict import judge, verdict

EVENT = b'data: {"choices":[{"delta":{"content":"say \\"error\\": {"}}]}\n\n'


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (529, b"", "HTTP 529"),
        (451, b"", "HTTP 451"),
        (400, b'{"error":{"code":"permission_denied"}}', "HTTP 400"),
        (403, b'{"error":{"message":"violates our usage policies"}}', "HTTP 403"),
        (403, b'{"error":{"message":"This client is not supported"}}', "HTTP 403"),
        (401, b'{"error":{"message":"abuse detected"}}', "HTTP 401"),
        (401, b'{"error":{"message":"invalid x-api-key"}}', None),
        (401, b'{"error":{"type":"authentication_error"}}', None),
        (401, b'{"error":{"type":"authentication_error","message":"abuse detected"}}', "HTTP 401"),
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
        (b"data: [DONE]\n\n", "HTTP 200 with an empty stream"),
    ],
)
def test_streams(body: bytes, expected: str | None) -> None:
    assert verdict(200, body, streamed=True) == expected


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (529, b"", "blocked"),
        (400, b'{"error":{"code":"permission_denied"}}', "blocked"),
        (200, b"{}", "passed"),
        (
            400,
            b"Could not finish the message because max_tokens or model output limit was reached",
            "passed",
        ),
        (429, b"", "wait"),
        (403, b'{"error":{"message":"quota exceeded"}}', "wait"),
        (503, b"", "wait"),
        (401, b'{"error":{"message":"invalid x-api-key"}}', "stop"),
        (403, b'{"error":{"message":"no access"}}', "stop"),
        (400, b'{"error":{"message":"messages: at least one is required"}}', "stop"),
        (404, b"", "stop"),
    ],
)
def test_what_is_no_verdict_is_waited_for_or_ends_the_matter(
    status: int, body: bytes, kind: str
) -> None:
    assert judge(status, body, streamed=False).kind == kind


def test_a_rate_limit_in_a_stream_is_waited_for() -> None:
    body = b'data: {"error":{"type":"rate_limit_error"}}\n\n'
    assert judge(200, body, streamed=True).kind == "wait"


def test_a_pattern_makes_any_answer_a_refusal() -> None:
    pattern = re.compile(rb"cannot help")
    assert judge(200, b"I cannot help", streamed=False, pattern=pattern).kind == "blocked"
    assert judge(200, b"Sure", streamed=False, pattern=pattern).kind == "passed"
