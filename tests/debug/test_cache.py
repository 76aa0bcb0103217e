"""Conversations, and what breaks their prompt caching."""

import json
from dataclasses import replace
from typing import Any

from debug.exchanges import TRIGGER, exchange, request
from mitmproxy_windsurf.debug.cache import report
from mitmproxy_windsurf.debug.recorded import Recorded

USER: dict[str, Any] = {"role": "user", "content": "Fix the bug."}
REPLY: dict[str, Any] = {"role": "assistant", "content": "Done."}


def turns(*bodies: bytes) -> list[Recorded]:
    return [
        exchange(body, title=f"#{number}", time=float(number)) for number, body in enumerate(bodies)
    ]


def test_a_conversation_that_only_grows_is_cached() -> None:
    history = [USER, REPLY, USER | {"content": "Thanks."}]
    bodies = [request(TRIGGER, messages=history[:length]) for length in (1, 2, 3)]
    assert report(turns(*bodies)).split("\n") == [
        "conversation 1, 3 requests to claude-opus-4-6",
        "  #0: begins",
        "  #1: goes on",
        "  #2: goes on",
        "2 continuations, 0 of them broken",
    ]


def test_a_break_is_told_with_place_byte_and_both_texts() -> None:
    first, second = turns(request(f"{TRIGGER} 10:01."), request(f"{TRIGGER} 10:02."))
    assert second.request
    byte = second.request.index(b"2.")
    assert report([first, second]).split("\n")[2:-1] == [
        "  #1: breaks",
        f"    at system, byte {byte}, as in the client's own requests",
        '    - "ding assistant. 10:01."',
        '    + "ding assistant. 10:02."',
    ]


def test_a_break_that_a_layer_made_is_told_as_such() -> None:
    first, second = turns(request(TRIGGER), request(TRIGGER))
    other = replace(second, request=request("You are something else."))
    assert "at system, byte 65, but not in the client's own requests: a layer did that" in (
        report([first, other])
    )


def test_without_the_originals_nobody_is_blamed() -> None:
    first, second = turns(request(f"{TRIGGER} a"), request(f"{TRIGGER} b"))
    kept_less = {key: value for key, value in second.record.items() if key != "original_request"}
    told = report([first, replace(second, record=kept_less)])
    assert "own requests" not in told
    assert "breaks" in told


def test_requests_are_taken_in_the_order_of_time() -> None:
    first, second = turns(request(messages=[USER]), request(messages=[USER, REPLY]))
    assert report([second, first]) == report([first, second])


def test_conversations_are_told_apart() -> None:
    told = report(
        turns(
            request(prompt="Fix the bug."),
            request(prompt="Fix the bug.", model="claude-haiku-4-5"),
            request(prompt="Write a test."),
            request(prompt="Fix the bug.", metadata={"user_id": "session_2"}),
            request("Another system.", prompt="Fix the bug."),
        )
    )
    assert told.count("conversation ") == 4
    assert "1 continuation, 1 of them broken" in told


def test_reminders_before_the_prompt_do_not_part_a_conversation() -> None:
    def asked(reminder: str) -> bytes:
        texts = (reminder, "Fix the bug.")
        content = [{"type": "text", "text": text} for text in texts]
        return request(messages=[{"role": "user", "content": content}])

    told = report(turns(asked("It is Monday."), asked("It is Tuesday.")))
    assert "at messages[0].content[0].text" in told


def test_parameters_that_end_the_cache_of_messages_are_told() -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    told = report(turns(request(), request(thinking=thinking)))
    assert "thinking has changed, so that the messages are cached anew" in told
    assert "1 continuation, 1 of them broken" in told


def test_what_cannot_be_read_is_left_out() -> None:
    strange = [b"", b"{", b"[]", b"\xff", b'{"messages": 7, "metadata": [], "model": {}}']
    told = report([*(Recorded("anthropic", body) for body in strange), Recorded("", request())])
    assert told.endswith("no two requests of one conversation")
    assert report([]) == "no two requests of one conversation"


def test_other_protocols_have_conversations_too() -> None:
    def asked(*texts: str, path: str = "/v1beta/models/m:generateContent") -> Recorded:
        contents = [{"role": "user", "parts": [{"text": text}]} for text in texts]
        return Recorded("gemini", json.dumps({"contents": contents}).encode(), path=path)

    other = asked("a", "b", path="/v1beta/models/n:generateContent")
    told = report([asked("a"), asked("a", "b"), other])
    assert "1 continuation, 0 of them broken" in told
    assert told.count("conversation ") == 2
