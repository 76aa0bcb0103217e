"""An answer that only repeats the reasoning: held, dropped or given back, event by event."""

from typing import Any

import pytest

from mitmproxy_windsurf.rewriter.waiting import MAX_WAITING
from playbook import (
    ABORT,
    DONE,
    END,
    MESSAGE_END,
    MODEL,
    PING,
    Like,
    Playbook,
    chunk,
    chunks,
    delta,
    documents,
    start,
    stop,
)

PLAN = "Plan A."


def chat(**options: Any) -> Playbook:
    return Playbook("openai_chat", want_thinking=True, **options)


def test_a_repeated_answer_is_emptied_when_the_choice_finishes() -> None:
    with chat() as stream:
        stream.passes(chunk(role="assistant", content=""), chunk(reasoning_content=PLAN))
        stream.holds(chunk(content="Plan "), chunk(content="A."))
        stream >> chunk(finish="stop")
        stream << chunk(content="") << chunk(content="") << chunk(finish="stop")
        stream.passes(DONE)
        stream >> END
        assert [edit.layer for edit in stream.rewriter.edits] == ["dedup"]


def test_another_answer_passes_as_it_came() -> None:
    with chat() as stream:
        stream.passes(chunk(reasoning_content=PLAN))
        stream.holds(first := chunk(content="Plan "), second := chunk(content="A"))
        stream >> (third := chunk(content=", yes")) << first << second << third
        stream.passes(chunk(content=PLAN), chunk(finish="stop"))
        stream >> END


def test_after_a_long_wait_another_answer_goes_out_at_the_difference() -> None:
    letters = "abcdefghijkl"
    with chat() as stream:
        stream.passes(chunk(reasoning_content=letters))
        stream.holds(*(chunk(content=letter) for letter in letters[:8]))
        stream >> chunk(content=letters[8])
        for _ in range(9):
            stream << chunk(content="")
        stream >> chunk(content="!") << chunk(content=f"{letters[:9]}!")
        stream >> END


def test_the_beginning_of_the_reasoning_goes_out_at_the_end() -> None:
    with chat() as stream:
        stream.passes(chunk(reasoning_content=PLAN))
        stream.holds(text := chunk(content="Plan"))
        stream >> (last := chunk(finish="stop")) << text << last
        stream >> END


def test_thinking_that_was_not_asked_for_is_no_reason_to_drop() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(chunk(reasoning_content=PLAN), chunk(content=PLAN), chunk(finish="stop"))
        stream >> END


@pytest.mark.parametrize("frame", [b'data: {"error": {"message": "boom"}}\n\n', ABORT])
def test_a_failure_gives_the_answer_back(frame: Any) -> None:
    with chat() as stream:
        stream.passes(chunk(reasoning_content=PLAN))
        stream.holds(text := chunk(content=PLAN))
        stream >> frame << text
        if frame is not ABORT:
            stream << frame
            stream >> END


def test_a_failure_in_the_chunk_that_finishes_gives_the_answer_back() -> None:
    """OpenRouter tells an error together with a finish_reason."""
    with chat() as stream:
        stream.passes(chunk(reasoning_content=PLAN))
        stream.holds(text := chunk(content=PLAN))
        choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
        stream >> (failed := chunks(choice, error={"code": 502, "message": "boom"}))
        stream << text << failed
        stream >> END


def test_a_tool_call_gives_the_answer_back_before_it() -> None:
    call = [{"index": 0, "id": "x", "function": {"name": "f", "arguments": "{}"}}]
    with chat() as stream:
        stream.passes(chunk(reasoning_content=PLAN))
        stream.holds(text := chunk(content=PLAN))
        stream >> (tool := chunk(tool_calls=call)) << text << tool
        stream.passes(chunk(content=PLAN), chunk(finish="tool_calls"))
        stream >> END


def test_reasoning_goes_on_after_the_answer_began() -> None:
    with chat() as stream:
        stream.passes(chunk(reasoning_content="Plan "))
        stream.holds(chunk(content="Plan "))
        stream.holds(chunk(reasoning_content="A."), chunk(content="A."))
        stream >> chunk(finish="stop")
        stream << chunk(content="") << chunk(reasoning_content="A.") << chunk(content="")
        stream << chunk(finish="stop")
        stream >> END


def test_choices_do_not_mix() -> None:
    """Choice 0 says what choice 1 thought."""

    def both(**members: tuple[str, str]) -> bytes:
        [(name, texts)] = members.items()
        return chunks(
            *({"index": index, "delta": {name: text}} for index, text in enumerate(texts))
        )

    with chat() as stream:
        stream.passes(both(reasoning_content=("A", "B")))
        stream.holds(both(content=("B", "B")))
        stream >> chunk(1, "stop") << both(content=("B", "")) << chunk(1, "stop")
        stream.passes(chunk(0, "stop"), DONE)
        stream >> END


def test_what_reasoning_and_answer_say_is_compared_raw() -> None:
    with chat() as stream:
        stream >> chunk(reasoning="I am Cascade. ") << chunk(reasoning=f"I am {MODEL}. ")
        stream.holds(chunk(content="I am Cascade. "))
        stream >> chunk(finish="stop") << chunk(content="") << chunk(finish="stop")
        stream >> END


def test_reasoning_in_two_places_is_noted_once() -> None:
    def thought(text: str, *details: str) -> bytes:
        return chunk(reasoning=text, reasoning_details=[{"text": detail} for detail in details])

    for first in (thought("Plan ", "Plan "), thought("Plan ", "Pl", "an ")):
        with chat() as stream:
            stream.passes(first, thought("A.", "A."))
            stream.holds(chunk(content=PLAN))
            stream >> chunk(finish="stop") << chunk(content="") << chunk(finish="stop")
            stream >> END


THOUGHT = (start(0, "thinking"), delta(0, thinking=PLAN), stop(0))


def test_a_dropped_answer_leaves_an_empty_block() -> None:
    with Playbook("anthropic", want_thinking=True) as stream:
        stream.passes(*THOUGHT, start(1, "text"))
        stream.holds(delta(1, text="Plan "), PING, delta(1, text="A."), stop(1), PING)
        end, *rest = MESSAGE_END
        stream >> end << delta(1, text="") << PING << delta(1, text="") << stop(1) << PING << end
        stream.passes(*rest)
        stream >> END
        kinds = [document["type"] for document in documents(stream.output)]
        assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 2


def test_only_the_first_answer_can_repeat_the_reasoning() -> None:
    with Playbook("anthropic", want_thinking=True) as stream:
        stream.passes(*THOUGHT, start(1, "text"))
        stream.holds(delta(1, text=PLAN), stop(1))
        stream >> (second := start(2, "text")) << delta(1, text="") << stop(1) << second
        stream.passes(delta(2, text=PLAN), stop(2), *MESSAGE_END)
        stream >> END


def test_a_repetition_goes_out_before_the_tool_call_that_follows_its_block() -> None:
    with Playbook("anthropic", want_thinking=True) as stream:
        stream.passes(*THOUGHT, start(1, "text"))
        stream.holds(text := delta(1, text=PLAN), stop(1), PING)
        stream >> (call := start(2, "tool_use")) << text << stop(1) << PING << call
        stream.passes(stop(2), *MESSAGE_END)
        stream >> END


def test_a_long_one_goes_into_its_block_in_a_delta_of_its_own() -> None:
    pieces = [f"step {number}. " for number in range(2 * MAX_WAITING)]
    with Playbook("anthropic", want_thinking=True) as stream:
        stream.passes(start(0, "thinking"), delta(0, thinking="".join(pieces)), stop(0))
        stream.passes(start(1, "text"))
        for piece in pieces:
            stream >> delta(1, text=piece)
            stream.take()
        stream.holds(stop(1), PING)
        stream >> (call := start(2, "tool_use"))
        stream << Like(delta(1, text="".join(pieces))) << stop(1) << PING << call
        stream.passes(stop(2), *MESSAGE_END)
        stream >> END


@pytest.mark.parametrize("pieces", [1, 2 * MAX_WAITING])
def test_a_repetition_comes_back_if_the_stream_breaks_behind_its_block(pieces: int) -> None:
    with Playbook("anthropic", want_thinking=True) as stream:
        stream.passes(start(0, "thinking"), delta(0, thinking="x" * pieces), stop(0))
        stream.passes(start(1, "text"))
        for _ in range(pieces):
            stream >> delta(1, text="x")
            stream.take()
        stream.holds(stop(1))
        stream >> ABORT << Like(delta(1, text="x" * pieces)) << stop(1)


def test_two_blocks_that_are_open_at_once_do_not_mix() -> None:
    with Playbook("anthropic", want_thinking=True) as stream:
        stream.passes(*THOUGHT, start(1, "text"))
        stream.holds(first := delta(1, text="Plan "))
        stream >> (second := delta(2, text="A.")) << first << second
        stream.passes(delta(1, text="B."), stop(1), stop(2))
        stream >> END


def test_a_client_that_needs_something_to_see_gets_the_answer() -> None:
    with Playbook("anthropic", want_thinking=True, keep_visible=True) as stream:
        stream.passes(*THOUGHT, start(1, "text"))
        stream.holds(text := delta(1, text=PLAN))
        stream >> stop(1) << text << stop(1)
        stream.passes(*MESSAGE_END)
        stream >> END
        assert stream.rewriter.kept_visible == 1
    with chat(keep_visible=True) as stream:
        stream.passes(chunk(reasoning=PLAN))
        stream.holds(text := chunk(content=PLAN))
        stream >> (last := chunk(finish="stop")) << text << last
        stream >> END
        assert stream.rewriter.kept_visible == 1


def test_a_client_that_has_seen_something_does_not() -> None:
    tool = (start(1, "tool_use", id="x", name="f", input={}), stop(1))
    with Playbook("anthropic", want_thinking=True, keep_visible=True) as stream:
        stream.passes(*THOUGHT, *tool)
        stream.passes(*(start(2, "text"), delta(2, text=PLAN), stop(2), *MESSAGE_END))
        stream >> END
    with chat(keep_visible=True) as stream:
        stream.passes(chunk(0, reasoning="A"), chunk(1, content="Hello."))
        stream.holds(chunk(0, content="A"))
        stream >> chunk(0, "stop") << chunk(0, content="") << chunk(0, "stop")
        stream >> END
        assert stream.rewriter.kept_visible == 0


def test_an_answer_that_is_no_repetition_is_not_counted_as_kept() -> None:
    with chat(keep_visible=True) as stream:
        stream.passes(chunk(reasoning=PLAN))
        stream.holds(text := chunk(content="Plan"))
        stream >> (last := chunk(finish="stop")) << text << last
        stream >> END
        assert stream.rewriter.kept_visible == 0


def test_without_a_finish_an_answer_is_dropped_at_done() -> None:
    with chat() as stream:
        stream.passes(chunk(reasoning=PLAN))
        stream.holds(chunk(content=PLAN))
        stream >> DONE << chunk(content="") << DONE
        stream >> END


def test_a_finish_that_repeats_the_reasoning_is_emptied_too() -> None:
    with chat() as stream:
        stream.passes(chunk(reasoning=PLAN))
        stream.holds(chunk(content="Plan "))
        stream >> chunk(content="A.", finish="stop")
        stream << chunk(content="") << Like(chunk(content="", finish="stop"))
        stream >> END
