"""Answers of backends as Hypothesis makes them up: the events in an order that may come."""

from __future__ import annotations

import json
from collections import deque

from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Event,
    Finished,
    FinishReason,
    Refusal,
    Started,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from strategies import pieces

STARTED = Started("chatcmpl-1", "qwen3", 7)
REASONS: tuple[FinishReason, ...] = ("stop", "length", "tool_calls", "content_filter")

texts = st.text(st.sampled_from('ab "\\{}[]\n\u2028é😀'), min_size=1, max_size=8)
objects = st.dictionaries(texts, texts | st.integers() | st.lists(texts, max_size=2), max_size=3)
names = st.sampled_from(["read", "apply_patch", "tool_search", "crm__find", "unknown"])
usages = st.builds(
    lambda cached, prompt, reasoning, said: Usage(
        cached + prompt, reasoning + said, cached, reasoning
    ),
    *[st.integers(0, 9)] * 4,
)


@st.composite
def arguments(draw: st.DrawFn) -> list[str]:
    """The JSON of a call in pieces; sometimes it is for a custom tool, or missing, or no object."""
    value = draw(objects | st.fixed_dictionaries({"input": texts}) | texts)
    text = json.dumps(value, ensure_ascii=draw(st.booleans()))
    return draw(pieces(text, max_cuts=4) | st.just([]))


@st.composite
def runs(draw: st.DrawFn, choice: int = 0) -> list[Event]:
    """What one choice says and calls; fragments of its calls may come in any order."""
    events: list[Event] = []
    waiting: dict[int, deque[Event]] = {}
    for _ in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from([Text, Thinking, Refusal, ToolCall, ToolCall]))
        if kind is ToolCall:
            index = len(waiting)
            events.append(ToolCall(choice, index, f"id{index}", draw(names)))
            found = draw(arguments())
            waiting[index] = deque(Arguments(choice, index, piece) for piece in found)
        else:
            events += [kind(choice, text) for text in draw(st.lists(texts, max_size=3))]
        for queue in waiting.values():
            for _ in range(draw(st.integers(0, len(queue)))):
                events.append(queue.popleft())
    for left in waiting.values():
        events += left
    return events


@st.composite
def answers(draw: st.DrawFn) -> list[Event]:
    """A complete answer of one choice."""
    ending: list[Event] = [Finished(0, draw(st.sampled_from(REASONS)))]
    if draw(st.booleans()):
        ending.append(draw(usages))
    return [STARTED, *draw(runs()), *ending]
