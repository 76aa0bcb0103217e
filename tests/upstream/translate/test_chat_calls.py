"""Every manner of sending tool calls that has been seen gives the same calls."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.model import Json
from upstream.translate.answers import answer_of, call, calls, chunk, whole, whole_answer

A, B = ("a", "read", '{"p":1}'), ("b", "read", '{"p":2}')


def found(*frames: bytes) -> list[tuple[str, str, str]]:
    answer = answer_of(*frames, chunk({}, "tool_calls"))
    assert answer.failure is None
    made = answer.choices[0].calls
    assert [one.index for one in made] == list(range(len(made)))
    return [(one.id, one.name, one.arguments) for one in made]


@pytest.mark.parametrize(
    "fragments",
    [
        pytest.param(
            [
                call(0, "a", "read", arguments=""),
                call(0, arguments='{"p"'),
                call(0, arguments=":1}"),
                call(1, "b", "read", arguments=""),
                call(1, arguments='{"p":2}'),
            ],
            id="as OpenAI does",
        ),
        pytest.param(
            [call(0, "a", "read", arguments=A[2]), call(1, "b", "read", arguments=B[2])],
            id="whole calls",
        ),
        pytest.param(
            [
                call(0, "a", "read", arguments='{"p"'),
                call(1, "b", "read", arguments='{"p"'),
                call(0, arguments=":1}"),
                call(1, arguments=":2}"),
            ],
            id="interleaved",
        ),
        pytest.param(
            [
                call(0, "a", "read", arguments='{"p"'),
                call(0, "a", "read", arguments=":1}"),
                call(1, "b", "read", arguments='{"p"'),
                call(1, "", "", arguments=":2}"),
            ],
            id="id and name repeated, or empty",
        ),
        pytest.param(
            [
                call(None, "a", "read", arguments='{"p"'),
                call(None, arguments=":1}"),
                call(None, "b", "read", arguments='{"p"'),
                call(None, "b", "read", arguments=":2}"),
            ],
            id="no index",
        ),
        pytest.param(
            [call(0, "a", "read", arguments=A[2]), call(0, "b", "read", arguments=B[2])],
            id="index 0 for all",
        ),
        pytest.param(
            [
                call(0, "a", arguments='{"p"'),
                call(0, name="read", arguments=":1}"),
                call(1, "b", "read", arguments={"p": 2}),
            ],
            id="a name that comes late, arguments as an object",
        ),
    ],
)
def test_calls_come_in_many_manners(fragments: list[Json]) -> None:
    assert found(*map(calls, fragments)) == [A, B]
    assert found(calls(*fragments)) == [A, B]


@pytest.mark.parametrize("index", [0, None])
def test_whole_calls_without_ids_are_told_apart(index: int | None) -> None:
    frames = [calls(call(index, None, "read", arguments=one[2])) for one in (A, B)]
    (first, *one), (second, *other) = found(*frames)
    assert (one, other) == ([*A[1:]], [*B[1:]])
    assert first != second
    assert first.startswith("call_")


def test_a_name_repeated_without_index_and_id_is_the_same_call() -> None:
    fragments = [call(None, None, "read", arguments=piece) for piece in ('{"p"', ":1}")]
    [(_, name, arguments)] = found(*map(calls, fragments))
    assert (name, arguments) == ("read", '{"p":1}')


def test_made_ids_depend_on_the_answer_and_an_id_is_given_once() -> None:
    twice = [calls(call(index, "x", "read", arguments="{}")) for index in (0, 1)]
    ids = [id for id, _, _ in found(*twice)]
    assert ids[0] == "x"
    assert ids[1] != "x"
    assert ids == [id for id, _, _ in found(*twice)]


def test_a_call_without_a_name_is_not_lost_and_an_empty_one_is_none() -> None:
    assert found(calls(call(0, "a", None, arguments="{}"))) == [("a", "", "{}")]
    assert found(calls(call(0, "", "", arguments=""))) == []


def test_a_call_without_arguments() -> None:
    assert found(calls(call(0, "a", "now"))) == [("a", "now", "")]


def test_the_deprecated_function_call() -> None:
    pieces = ({"name": "read", "arguments": ""}, {"arguments": '{"p"'}, {"arguments": ":1}"})
    [(_, name, arguments)] = found(*(chunk({"function_call": piece}) for piece in pieces))
    assert (name, arguments) == ("read", '{"p":1}')


def test_a_custom_tool_and_an_empty_custom_member_beside_a_function() -> None:
    custom = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** "}}
    assert found(calls(custom)) == [("c", "patch", "*** ")]
    snowflake = call(0, "a", "read", arguments=A[2]) | {"custom": {"input": "", "name": ""}}
    assert found(calls(snowflake)) == [A]


def test_in_a_whole_message_each_element_is_a_call() -> None:
    for id in (None, "x"):
        message = {"tool_calls": [call(None, id, "now"), call(None, id, "now")]}
        made = whole_answer(whole(message, "tool_calls")).choices[0].calls
        assert [one.name for one in made] == ["now", "now"]
        assert made[0].id != made[1].id


def test_another_name_begins_another_call_whatever_is_missing() -> None:
    fragments = [call(None, None, "now"), call(None, None, "read", arguments='{"p"')]
    fragments += [call(None, arguments=":1}"), call(None, None, "now")]
    made = [(name, arguments) for _, name, arguments in found(*map(calls, fragments))]
    assert made == [("now", ""), ("read", '{"p":1}'), ("now", "")]
