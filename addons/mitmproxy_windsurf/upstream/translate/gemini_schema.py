"""Gemini's schemas as JSON Schema: https://ai.google.dev/api/caching#Schema

Gemini writes types in capitals, numbers as strings, and `nullable`; keywords come in camelCase and
snake_case. Clients write so even where the field is meant for JSON Schema, and JSON Schema itself
passes as it is.
"""

from __future__ import annotations

from typing import Any

from mitmproxy_windsurf.upstream.translate.model import Json, Refused

_KEYWORDS = {
    name.lower(): name
    for name in (
        *("anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties"),
        *("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"),
    )
} | {"defs": "$defs", "ref": "$ref"}
_LIMITS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_NAMED = ("properties", "$defs", "definitions", "patternProperties")
"""Keywords whose members are schemas by names that are the user's."""

_ONE = ("items", "additionalProperties", "not")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_NEEDLESS = ("propertyordering", "nullable")
_DEEPEST = 64


def json_schema(schema: Any, place: str) -> Json:
    """The JSON Schema of a schema.

    Raises:
        Refused: it is none, or nested too deeply.
    """
    if not isinstance(schema, dict):
        raise Refused(place, "has to be an object")
    return _schema(schema, place, _DEEPEST)


def _schema(schema: Json, place: str, depth: int) -> Json:
    if not depth:
        raise Refused(place, f"is nested more than {_DEEPEST} deep")
    found: Json = {}
    nullable = False
    for name, value in schema.items():
        folded = name.replace("_", "").lower()
        nullable = nullable or (folded == "nullable" and value is True)
        if folded not in _NEEDLESS:
            keyword = _KEYWORDS.get(folded, name)
            found[keyword] = _value(keyword, value, place, depth)
    if nullable and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _value(keyword: str, value: Any, place: str, depth: int) -> Any:
    if keyword == "type":
        return _type(value)
    if keyword in _LIMITS and isinstance(value, str) and value.isdecimal():
        return int(value)
    if keyword in _NAMED and isinstance(value, dict):
        return {name: _inner(member, place, depth) for name, member in value.items()}
    if keyword in _SEVERAL and isinstance(value, list):
        return [_inner(member, place, depth) for member in value]
    return _inner(value, place, depth) if keyword in _ONE else value


def _inner(value: Any, place: str, depth: int) -> Any:
    """`additionalProperties` may be a boolean as well."""
    return _schema(value, place, depth - 1) if isinstance(value, dict) else value


def _type(value: Any) -> Any:
    if isinstance(value, list):
        return [_type(member) for member in value]
    return value.lower() if isinstance(value, str) else value
