"""Requests with some of their units: still valid, and unchanged where nothing was left out."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bisect_requests import FUNCTION, REQUESTS
from mitmproxy_windsurf.debug.bisect.units import Unit, place_of, units_of
from mitmproxy_windsurf.debug.bisect.variants import PLACEHOLDER, Variants

CHOICES = ("tool_choice", "toolConfig", "parallel_tool_calls")


def variants(protocol: str, body: Any) -> tuple[list[Unit], Variants, str]:
    raw = json.dumps(body)
    units = units_of(protocol, json.loads(raw))
    return units, Variants(raw, units), raw


def names(value: Any) -> list[str]:
    """The tools that are declared."""
    found: list[str] = []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if key in ("tools", "functionDeclarations"):
            for tool in item:
                inner = tool.get("function", tool)
                found += [inner["name"]] if "name" in inner else names(tool)
        elif isinstance(item, dict | list):
            found += names(item)
    return found


def empties(value: Any) -> list[Any]:
    """Empty arrays, objects and texts anywhere."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [*([] if value else [value]), *(found for item in inner for found in empties(item))]
    return [value] if value == "" else []


@pytest.mark.parametrize("protocol", REQUESTS)
def test_with_all_units_it_is_the_request(protocol: str) -> None:
    units, made, raw = variants(protocol, REQUESTS[protocol])
    assert made.keeping(frozenset(units)) == raw.encode()


@pytest.mark.parametrize("protocol", REQUESTS)
@given(data=st.data())
def test_whatever_is_left_out_the_request_stays_valid(protocol: str, data: st.DataObject) -> None:
    body = REQUESTS[protocol]
    units, made, _ = variants(protocol, body)
    kept = data.draw(st.frozensets(st.sampled_from(units)))
    document = json.loads(made.keeping(kept))
    assert not empties(document)
    left = names(document)
    wanted = {name for name in ("read", "write") if f'"{name}"' in json.dumps(choices(document))}
    assert wanted <= set(left)
    assert left or not choices(document)
    assert document.get("messages", "hi") or protocol != "anthropic"
    assert len(units_of(protocol, document)) >= len([unit for unit in kept if unit.target])


def choices(document: Any) -> dict[str, Any]:
    return {name: document[name] for name in CHOICES if name in document}


@pytest.mark.parametrize("protocol", REQUESTS)
def test_the_bare_request_says_nothing_and_has_no_tools(protocol: str) -> None:
    _, made, raw = variants(protocol, REQUESTS[protocol])
    bare = made.keeping(frozenset()).decode()
    assert not names(json.loads(bare))
    assert not any(word in bare for word in ("One.", "Three.", "Reads.", "A path.", "write"))
    assert '"hi"' in bare
    assert f'"{PLACEHOLDER}"' in bare
    assert len(bare) < len(raw)


def test_a_tool_that_was_used_stays_without_its_descriptions() -> None:
    body = REQUESTS["anthropic"] | {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "read"}]},
        ]
    }
    _, made, _ = variants("anthropic", body)
    bare = json.loads(made.keeping(frozenset()))
    assert [tool["name"] for tool in bare["tools"]] == ["read"]
    assert bare["tools"][0]["description"] == PLACEHOLDER
    assert bare["tool_choice"] == {"type": "tool", "name": "read"}


def test_a_kept_description_keeps_its_tool() -> None:
    units, made, _ = variants("openai_chat", REQUESTS["openai_chat"])
    wanted = next(unit for unit in units if unit.path[:2] == ("tools", 1) and unit.target)
    document = json.loads(made.keeping(frozenset([wanted])))
    assert names(document) == ["write"]
    assert document["tools"][0]["function"]["description"] == "Writes."
    assert document["tool_choice"] == REQUESTS["openai_chat"]["tool_choice"]


def test_server_tools_stay() -> None:
    search: dict[str, Any] = {"google_search": {}}
    body = REQUESTS["gemini"] | {"tools": [search, {"functionDeclarations": [FUNCTION]}]}
    _, made, _ = variants("gemini", body)
    assert json.loads(made.keeping(frozenset()))["tools"] == [search]


def test_places_name_the_tool() -> None:
    path = ("tools", 1, "input_schema", "properties", "path", "description")
    assert (
        place_of(REQUESTS["anthropic"], path)
        == "tools[1] (write).input_schema.properties.path.description"
    )
    assert place_of(REQUESTS["anthropic"], ("system", 0, "text")) == "system[0].text"
