from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.model import Asked, Failure, Refused
from mitmproxy_windsurf.upstream.translate.openai_responses import OpenAIResponsesDialect

RESPONSES = OpenAIResponsesDialect()


@pytest.mark.parametrize("route", ["/v1/responses/compact", "/v1/responses/resp_1/cancel"])
def test_routes_that_need_what_is_kept_are_refused(route: str) -> None:
    with pytest.raises(Refused) as refused:
        RESPONSES.request(Asked({"model": "m", "input": "hi"}, path=route))
    assert refused.value.status == 404


def test_tokens_are_counted_for_a_request_like_any_other() -> None:
    asked = Asked({"model": "m", "input": "hi"}, path="/v1/responses/input_tokens")
    assert RESPONSES.request(asked).model == "m"
    assert RESPONSES.count(7) == {"object": "response.input_tokens", "input_tokens": 7}


def test_errors_and_models_are_those_of_openai() -> None:
    assert RESPONSES.error(Failure(400, "no", place="input"))["error"] == {
        "message": "no",
        "type": "invalid_request_error",
        "param": "input",
        "code": None,
    }
    assert RESPONSES.models([{"id": "m"}]) == {"object": "list", "data": [{"id": "m"}]}
    assert RESPONSES.model({"id": "m"}) == {"id": "m"}
    assert not RESPONSES.relays
