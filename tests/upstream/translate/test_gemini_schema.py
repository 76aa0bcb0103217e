from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.gemini_schema import json_schema
from mitmproxy_windsurf.upstream.translate.model import Json, Refused


def test_a_schema_of_geminis() -> None:
    schema = {
        "type": "OBJECT",
        "description": "d",
        "nullable": True,
        "propertyOrdering": ["type"],
        "properties": {
            "type": {"type": "STRING", "enum": ["STRING"], "max_length": "9"},
            "any_of": {"any_of": [{"type": "INTEGER", "format": "int32"}, {"type": "NULL"}]},
            "list": {"type": "ARRAY", "minItems": "1", "items": {"type": "NUMBER"}},
        },
        "required": ["type"],
    }
    assert json_schema(schema, "") == {
        "type": ["object", "null"],
        "description": "d",
        "properties": {
            "type": {"type": "string", "enum": ["STRING"], "maxLength": 9},
            "any_of": {"anyOf": [{"type": "integer", "format": "int32"}, {"type": "null"}]},
            "list": {"type": "array", "minItems": 1, "items": {"type": "number"}},
        },
        "required": ["type"],
    }


def test_json_schema_passes_as_it_is() -> None:
    schema: Json = {
        "$defs": {"a": {"type": ["string", "null"], "const": {"type": "STRING"}}},
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/a"}, "y": {"oneOf": [{"type": "integer"}]}},
        "additionalProperties": False,
        "default": {"type": "STRING"},
    }
    assert json_schema(schema, "") == schema


@pytest.mark.parametrize("schema", ["x", [], None])
def test_a_schema_is_an_object(schema: Any) -> None:
    with pytest.raises(Refused) as refused:
        json_schema(schema, "here")
    assert refused.value.place == "here"


def test_a_schema_has_an_end() -> None:
    schema: Json = {"type": "string"}
    for _ in range(100):
        schema = {"items": schema}
    with pytest.raises(Refused, match="deep"):
        json_schema(schema, "here")
