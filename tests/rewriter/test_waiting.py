"""Events that wait: what goes out is one of two spellings of the same texts, as soon as it may."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.rewriter.waiting import MAX_WAITING, Move, WaitingEvents
from mitmproxy_windsurf.wire.parts import Key
from swap import Swap

A, B = Key(0, "text"), Key(1, "text")


def add(events: WaitingEvents, *event: Any, **more: Any) -> bytes:
    """What one more event lets go."""
    return b"".join(events.add(*event, **more))


def waiting() -> WaitingEvents:
    return WaitingEvents(lambda key: 1)


def test_an_event_without_texts_passes() -> None:
    assert add(waiting(), b"raw", b"raw") == b"raw"


def test_an_event_with_a_change_goes_out_as_rewritten() -> None:
    assert add(waiting(), b"raw", b"new", [Move(A, "a/x", "a<w>")]) == b"new"
    assert add(waiting(), b"raw", b"new", [Move(None, "a/x", "a<w>")]) == b"new"
    assert add(waiting(), b"raw", b"new", [Move(None, "a", "a")]) == b"raw"


def test_a_text_that_is_behind_lets_all_events_wait() -> None:
    events = waiting()
    assert add(events, b"1", b"1'", [Move(A, "a/", "a")]) == b""
    assert add(events, b"2", b"2") == b""
    assert add(events, b"3", b"3'", [Move(B, "b/", "b")]) == b""
    assert add(events, b"4", b"4'", [Move(A, "c", "/c")]) == b""
    assert add(events, b"5", b"5'", [Move(B, "d", "/d")]) == b"12345"
    assert add(events, b"6", b"6") == b"6"


def test_a_change_lets_all_go_as_rewritten() -> None:
    events = waiting()
    add(events, b"1", b"1'", [Move(A, "a/", "a")])
    add(events, b"2", b"2'", [Move(B, "b/", "b")])
    assert add(events, b"3", b"3'", [Move(A, "x", "<w>")]) == b"1'2'3'"
    # What B was behind is in 2' no more, so its next event must be as rewritten too.
    assert add(events, b"4", b"4'", [Move(B, "d", "/d")]) == b"4'"


def test_nobody_waits_for_a_changed_text_before_it_has_caught_up() -> None:
    held = {A: 2}
    events = WaitingEvents(held.__getitem__)
    assert add(events, b"1", b"1'", [Move(A, "a/x /t", "a<w> ")]) == b"1'"
    assert add(events, b"2", b"2'", [Move(A, "/tz", "/t")]) == b"2'"
    held[A] = 0
    assert add(events, b"3", b"3'", [Move(A, "y", "/tzy")]) == b"3'"
    held[A] = 1
    assert add(events, b"4", b"4'", [Move(A, "/", "")]) == b""


def test_a_text_that_ended_behind_was_dropped() -> None:
    held = {A: 1}
    events = WaitingEvents(held.__getitem__)
    assert add(events, b"1", b"1'", [Move(A, "a", "")]) == b""
    held[A] = 0
    assert add(events, b"2", b"2") == b"1'2"


def test_nobody_waits_for_a_text_that_is_swallowed() -> None:
    """An open block must not delay another choice."""
    events = WaitingEvents(lambda key: 0)
    for _ in range(3):
        assert add(events, b"1", b"1'", [Move(A, "secret", "")]) == b"1'"
        assert add(events, b"2", b"2", [Move(B, "b", "b")]) == b"2"


def test_nobody_waits_twice_for_a_text_that_is_held_for_long() -> None:
    events = WaitingEvents(lambda key: 1000)
    out = [add(events, b"1", b"1'", [Move(A, "a", "")]) for _ in range(MAX_WAITING + 3)]
    assert out == [b""] * MAX_WAITING + [b"1'" * (MAX_WAITING + 1), b"1'", b"1'"]
    assert add(events, b"2", b"2", [Move(B, "b", "b")]) == b"2"


def test_a_text_so_far() -> None:
    events = waiting()
    assert add(events, b"1", b"1'", [Move(A, "a", "a", cumulative=True)]) == b"1"
    assert add(events, b"2", b"2'", [Move(A, "a/", "a", cumulative=True)]) == b""
    assert add(events, b"3", b"3'", [Move(A, "a/b", "a/b", cumulative=True)]) == b"23"
    assert add(events, b"4", b"4'", [Move(A, "a/x", "a<w>", cumulative=True)]) == b"4'"


def test_no_more_than_a_few_wait() -> None:
    events = waiting()
    add(events, b"[", b"<", [Move(A, "/", "")])
    out = [add(events, b".", b".") for _ in range(MAX_WAITING)]
    assert out == [b""] * (MAX_WAITING - 1) + [b"<" + b"." * MAX_WAITING]
    assert add(events, b".", b".") == b"."


def test_an_event_can_wait_for_what_follows_and_let_something_in_before_it() -> None:
    events = waiting()
    assert add(events, b"1", b"1", waits=True) == b""
    assert add(events, b"2", b"2", waits=True) == b""
    assert add(events, b"3", b"3'", [Move(None, "a", "b")], early=[b"0"]) == b"0123'"
    assert add(events, b"4", b"4", waits=True) == b""
    assert add(events, b"5", b"5") == b"45"


def test_what_is_let_in_stands_before_the_event_that_waits_not_before_others() -> None:
    events = waiting()
    assert add(events, b"1", b"1'", [Move(A, "x", "")]) == b""
    assert add(events, b"2", b"2", waits=True) == b""
    assert add(events, b"3", b"3", [Move(A, "", "x")], early=[b"x"]) == b"123"
    add(events, b"4", b"4'", [Move(A, "x", "")])
    add(events, b"5", b"5", waits=True)
    assert add(events, b"6", b"6", [Move(A, "", "y")], early=[b"y"]) == b"4'y56"


def test_release_gives_the_events_back_as_they_came() -> None:
    events = waiting()
    add(events, b"1", b"1'", [Move(A, "a/", "a")])
    add(events, b"2", b"2")
    assert events.release() == [b"1", b"2"]
    assert events.release() == []


@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.text("/x", max_size=3)) | st.none(), max_size=40),
    st.booleans(),
)
def test_the_texts_come_out_as_the_layers_decided(events: list[Any], matching: bool) -> None:
    """Whatever spelling goes out, its texts are what the transforms gave; without a match all is
    raw, unless the wait got long."""
    needle = "/x" if matching else "//xx//"
    machines = {"A": Swap(needle), "B": Swap(needle)}
    keys = {"A": A, "B": B}
    queue = WaitingEvents(lambda key: len(machines["A" if key == A else "B"].held))
    out = b""
    came = {"A": "", "B": ""}
    for event in events:
        if event is None:
            out += add(queue, b"-", b"-")
            continue
        name, text = event
        came[name] += text
        went = machines[name].feed(text)
        raw, new = (f"{name}{piece};".encode() for piece in (text, went))
        out += add(queue, raw, new, [Move(keys[name], text, went)])
    tails = {name: machine.flush() for name, machine in machines.items()}
    rest = "".join(f"{name}{tail};" for name, tail in tails.items() if tail).encode()
    out += add(queue, b"", rest, [Move(keys[name], "", tail) for name, tail in tails.items()])
    for name, text in came.items():
        said = "".join(
            part[1:] for part in out.decode().replace("-", "").split(";") if part[:1] == name
        )
        wanted = Swap(needle)
        assert said == wanted.feed(text) + wanted.flush()
    assert out.count(b"-") == events.count(None)
