"""The public names: where they are imported from and how they are called is kept stable."""

import importlib
import inspect

import pytest

# module, name, the parameters that may be relied on (more may follow, with defaults)
PUBLIC = [
    ("text.transform", "Pipeline", ["stages"]),
    ("text.transform", "rewrite", ["transform", "text"]),
    ("text.paths", "PathStream", ["*", "private_paths=()"]),
    ("text.paths", "sanitize_text", ["text", "*", "private_paths=()"]),
    ("text.paths", "sanitize_arguments", ["json_text"]),
    ("text.paths", "sanitize_value", ["obj"]),
    ("text.identity", "IdentityStream", ["model"]),
    ("text.identity", "rewrite_identity", ["text", "model"]),
    ("text.dedup", "ReasoningDedup", ["*", "want_thinking"]),
    ("prompts.neutralize", "neutralize", ["text", "*", "target='system'"]),
    ("wire.thinking", "wants_thinking", ["protocol", "body"]),
    ("rewriter", "Layers", ["neutralize=True", "paths=True", "identity=True", "dedup=True"]),
    ("rewriter", "RequestRewriter", ["protocol", "layers"]),
    ("rewriter", "ResponseRewriter", ["protocol", "layers", "*", "model", "want_thinking"]),
]

MEMBERS = {
    "PathStream": ["feed", "flush", "release", "edits", "held"],
    "IdentityStream": ["feed", "flush", "release", "edits", "held"],
    "ReasoningDedup": ["note_reasoning", "feed", "settle", "release", "suppressed"],
    "RequestRewriter": ["rewrite", "edits", "warnings"],
    "ResponseRewriter": ["feed", "flush", "abort", "edits", "warnings"],
}


def signature(function: object) -> list[str]:
    """The parameters as they are written, without types and without the slash."""
    spelled, keywords = [], False
    assert callable(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            spelled.append("*")
            keywords = True
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        spelled.append(parameter.name + default)
    return spelled


@pytest.mark.parametrize(
    ("module", "name", "parameters"), PUBLIC, ids=[name for _, name, _ in PUBLIC]
)
def test_a_public_name_is_called_as_documented(
    module: str, name: str, parameters: list[str]
) -> None:
    found = signature(getattr(importlib.import_module(f"mitmproxy_windsurf.{module}"), name))
    assert found[: len(parameters)] == parameters
    later = [parameter for parameter in found[len(parameters) :] if parameter != "*"]
    assert all("=" in parameter for parameter in later), "a new parameter has no default"


def test_public_names_have_their_members() -> None:
    from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
    from mitmproxy_windsurf.text.dedup import ReasoningDedup
    from mitmproxy_windsurf.text.identity import IdentityStream
    from mitmproxy_windsurf.text.paths import PathStream

    layers = Layers()
    for instance in (
        PathStream(),
        IdentityStream("m"),
        ReasoningDedup(want_thinking=True),
        RequestRewriter("anthropic", layers),
        ResponseRewriter("anthropic", layers, model="m", want_thinking=False),
    ):
        for member in MEMBERS[type(instance).__name__]:
            assert hasattr(instance, member), f"{type(instance).__name__}.{member}"


def test_neutralize_returns_text_edits_and_warnings() -> None:
    from mitmproxy_windsurf.prompts.neutralize import neutralize

    result = neutralize("Nothing to see.")
    assert (result.text, list(result.edits), list(result.warnings)) == ("Nothing to see.", [], [])
