"""Where text goes that was held when something ended it."""

from typing import Any

import pytest

from playbook import (
    ABORT,
    COMMENT,
    DONE,
    END,
    MESSAGE_END,
    PING,
    PRIVATE,
    End,
    Like,
    Playbook,
    chunk,
    chunks,
    delta,
    start,
    stop,
)

HELD = "/opt/wind"
"""It could still become a private path."""


def test_an_event_waits_until_it_is_clear_that_it_passes_as_it_came() -> None:
    with Playbook("openai_chat") as stream:
        stream.holds(first := chunk(content=f"in {HELD}"))
        stream >> (second := chunk(content="ow ok")) << first << second
        stream.passes(chunk(content="!"), chunk(finish="stop"), DONE)
        stream >> END


def test_an_event_waits_until_it_is_clear_that_it_changes() -> None:
    with Playbook("openai_chat") as stream:
        stream.holds(chunk(content=f"in {HELD}"))
        (
            stream
            >> chunk(content="surf/a ok")
            << chunk(content="in ")
            << chunk(content="<workspace> ok")
        )
        stream >> END


def test_what_comes_while_an_event_waits_keeps_its_place() -> None:
    with Playbook("openai_chat") as stream:
        waiting = [chunk(content=HELD), COMMENT, b"event: made-up\ndata: {}\n\n", chunks()]
        stream.holds(*waiting)
        stream >> (last := chunk(content="ow"))
        for one in [*waiting, last]:
            stream << one
        stream >> END


def test_no_more_than_eight_events_wait() -> None:
    with Playbook("anthropic") as stream:
        stream.passes(start(0, "text"))
        stream.holds(delta(0, text=f"in {HELD}"), *[PING] * 7)
        stream >> PING << delta(0, text="in ")
        for _ in range(8):
            stream << PING
        stream.passes(PING)
        stream >> delta(0, text="ow") << delta(0, text=f"{HELD}ow")
        stream.passes(stop(0))
        stream >> END


FINISHES: list[dict[str, Any]] = [{"content": ""}, {"content": None}, {}, {"role": "assistant"}]


@pytest.mark.parametrize("member", FINISHES)
def test_held_text_that_stays_passes_with_the_finish(member: dict[str, Any]) -> None:
    with Playbook("openai_chat") as stream:
        stream.holds(first := chunk(content=f"in {HELD}"))
        stream >> (last := chunk(finish="stop", **member)) << first << last
        stream.passes(DONE)
        stream >> END


def stuck(stream: Playbook) -> None:
    """A text with a held tail that no longer waits: its event went out as rewritten."""
    stream >> chunk(content=f"{PRIVATE} {HELD}") << chunk(content="<workspace> ")


@pytest.mark.parametrize("member", FINISHES)
def test_held_text_is_folded_into_the_finish(member: dict[str, Any]) -> None:
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> chunk(finish="stop", **member)
        stream << Like(chunk(finish="stop", **{**member, "content": HELD}))
        stream.passes(DONE)
        stream >> END


def test_held_text_goes_out_in_the_finish_that_brings_it() -> None:
    with Playbook("openai_chat") as stream:
        stream >> chunk(content=f"see {PRIVATE}/x", finish="stop")
        stream << chunk(content="see <workspace>", finish="stop")
        stream.passes(DONE)
        stream >> END


def test_without_a_finish_held_text_goes_out_before_done() -> None:
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream.passes(chunks(usage={"total_tokens": 1}))
        stream >> DONE << Like(chunk(content=HELD)) << DONE
        stream >> END


@pytest.mark.parametrize("end", [END, ABORT])
def test_without_any_end_held_text_is_sent_in_addition(end: End) -> None:
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> end << Like(chunk(content=HELD))


@pytest.mark.parametrize("end", [END, ABORT])
def test_a_block_that_never_stops_gets_one_more_delta(end: End) -> None:
    with Playbook("anthropic") as stream:
        stream.passes(start(2, "text"))
        stream >> delta(2, text=f"{PRIVATE} {HELD}") << delta(2, text="<workspace> ")
        stream >> end << Like(delta(2, text=HELD))


def test_a_block_gets_its_held_text_before_it_stops() -> None:
    with Playbook("anthropic") as stream:
        stream.passes(start(0, "text"))
        stream >> delta(0, text=f"{PRIVATE} {HELD}") << delta(0, text="<workspace> ")
        stream >> stop(0) << Like(delta(0, text=HELD)) << stop(0)
        stream.passes(*MESSAGE_END)
        stream >> END


def test_another_channel_lets_held_text_go_first() -> None:
    with Playbook("openai_chat") as stream:
        stream >> chunk(reasoning=f"{PRIVATE} {HELD}") << chunk(reasoning="<workspace> ")
        text, thought = chunk(content="so: "), chunk(reasoning="hm")
        stream >> text << Like(chunk(reasoning=HELD)) << text
        stuck(stream)
        stream >> thought << Like(chunk(content=HELD)) << thought
        stream >> END


def test_a_tool_call_takes_held_text_along() -> None:
    call = [{"index": 0, "id": "x", "function": {"name": "f", "arguments": ""}}]
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> chunk(content=None, tool_calls=call) << chunk(content=HELD, tool_calls=call)
        stream >> END
    with Playbook("anthropic") as stream:  # as llama.cpp: the text block is still open
        stream.passes(start(0, "text"))
        stream >> delta(0, text=f"{PRIVATE} {HELD}") << delta(0, text="<workspace> ")
        tool = start(1, "tool_use", id="x", name="f", input={})
        stream >> tool << Like(delta(0, text=HELD)) << tool
        stream.passes(stop(0), stop(1))
        stream >> END


def test_a_failure_gives_everything_back_before_it() -> None:
    with Playbook("openai_chat") as stream:
        stuck(stream)
        stream >> chunk(1, content=f"{PRIVATE} {HELD}") << chunk(1, content="<workspace> ")
        error = b'event: error\ndata: {"error": {"message": "boom"}}\n\n'
        stream >> error << Like(chunk(content=HELD)) << Like(chunk(1, content=HELD)) << error
        stream >> END
