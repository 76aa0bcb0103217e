"""The walks that protocols share."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.wire.parts import Json, Prompt
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import OPAQUE, described, loose_parts, strings, text_blocks


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def test_strings_in_the_order_of_the_document() -> None:
    value = {"a": "1", "b": [{"c": "2"}, ["3"], 4, None, True], "d": {"": "5"}}
    assert list(strings(value, ("x",))) == [
        (("x", "a"), "1"),
        (("x", "b", 0, "c"), "2"),
        (("x", "b", 1, 0), "3"),
        (("x", "d", ""), "5"),
    ]
    assert list(strings("a")) == [((), "a")]
    assert list(strings(None)) == []


@pytest.mark.parametrize("name", sorted(OPAQUE))
def test_what_is_opaque_is_left_out(name: str) -> None:
    assert list(strings({name: "x", "deep": [{name: {"a": "x"}}]})) == []


def test_data_that_is_text() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "a"}
    assert ("source", "data") in dict(strings({"source": source}))
    assert ("source", "data") not in dict(strings({"source": source | {"type": "base64"}}))


def test_depth_costs_no_recursion() -> None:
    deep: Any = "a"
    for _ in range(5000):
        deep = [deep]
    [(path, text)] = strings(deep)
    assert (len(path), text) == (5000, "a")


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_every_path_leads_to_its_string(value: Any) -> None:
    for part in loose_parts("result", value, ()):
        assert at(value, part.paths[0]) == part.text
        assert (part.channel, part.key) == ("result", None)


def block(text: str, kind: str = "text") -> Json:
    return {"type": kind, "text": text}


def run(texts: list[str], first: int) -> Prompt:
    elements = tuple(("x", first + index) for index in range(len(texts)))
    paths = tuple((*element, "text") for element in elements)
    return Prompt("system", tuple(texts), paths, elements, "here")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a", [Prompt("system", ("a",), (("x",),), (None,), "here")]),
        ([block("a"), block("b")], [run(["a", "b"], 0)]),
        ([block("a"), {"type": "image"}, block("b")], [run(["a"], 0), run(["b"], 2)]),
        ([7, block("a"), None, block("b", "other"), block("c")], [run(["a"], 1), run(["c"], 4)]),
        ([block("")], [run([""], 0)]),
        ([{"type": "text"}, {"text": "no type"}], []),
        ([], []),
        ({}, []),
        (None, []),
    ],
)
def test_runs_of_text_blocks(value: object, found: list[Prompt]) -> None:
    assert list(text_blocks("system", value, ("x",), "here", types=("text",))) == found


ALL_PLACES: Json = {
    "description": "top",
    "title": "top title",
    "schema": {
        "description": "0",
        "title": "1",
        "properties": {"description": {"description": "2"}, "title": {"title": "3"}, "x": True},
        "$defs": {"d": {"description": "4"}},
        "definitions": {"d": {"description": "5"}},
        "patternProperties": {".*": {"description": "6"}},
        "dependentSchemas": {"a": {"description": "7"}},
        "anyOf": [{"description": "8"}, True],
        "oneOf": [{"description": "9"}],
        "allOf": [{"anyOf": [{"description": "10"}]}],
        "prefixItems": [{"description": "11"}],
        "items": {"items": {"description": "12"}},
        "additionalProperties": {"description": "13"},
        "not": {"description": "14"},
        "if": {"description": "15"},
        "then": {"description": "16"},
        "else": {"description": "17"},
        "contains": {"description": "18"},
        "propertyNames": {"description": "19"},
    },
}


def test_all_descriptions_of_a_tool() -> None:
    prompts = list(described(ALL_PLACES, ("t",), "here", ("schema", "absent")))
    assert {prompt.texts[0] for prompt in prompts} == {
        "top",
        "top title",
        *(str(number) for number in range(20)),
    }
    for prompt in prompts:
        assert (prompt.target, prompt.elements, prompt.place) == ("tools", (None,), "here")
        assert (at({"t": ALL_PLACES}, prompt.paths[0]),) == prompt.texts


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["x"], "default": {"description": "x"}, "examples": [{"description": "x"}]},
        {"const": {"description": "x"}, "description": 7, "title": None, "$comment": "x"},
        {"properties": ["x"], "anyOf": {"description": "x"}, "items": ["x"], "required": ["x"]},
        "x",
    ],
)
def test_what_is_no_description(schema: object) -> None:
    assert list(described({"schema": schema}, (), "here", ("schema",))) == []


def test_a_schema_of_any_depth() -> None:
    schema: Json = {"description": "deepest"}
    for _ in range(3000):
        schema = {"items": schema}
    [prompt] = described({"schema": schema}, (), "here", ("schema",))
    assert prompt.texts == ("deepest",)
