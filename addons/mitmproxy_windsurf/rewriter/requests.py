"""Requests: the prompts in a body, rewritten by layer 1; every other byte stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mitmproxy_windsurf.prompts import Neutralized, neutralize_parts
from mitmproxy_windsurf.rewriter.echoes import Echoes
from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.rewriter.signatures import Signatures
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.wire import detect
from mitmproxy_windsurf.wire.parts import Prompt
from mitmproxy_windsurf.wire.splice import (
    Path,
    Splice,
    apply,
    literal,
    locate,
    remove_elements,
    style_of,
)
from mitmproxy_windsurf.wire.workspace import find_workspace


class RequestRewriter:
    """One request of `protocol`; `edits`, `warnings`, `facts` and `echoes` are there
    after `rewrite`. A `path` says more than the body where it names a model.

    Raises:
        KeyError: no such protocol.
    """

    def __init__(
        self,
        protocol: str,
        layers: Layers,
        *,
        signatures: Signatures | None = None,
        path: str = "",
    ) -> None:
        self._name = protocol
        self._path = path
        self._protocol = detect.protocol(protocol)
        self._layers = layers
        self._signatures = signatures
        self.edits: list[Edit] = []
        self.warnings: list[str] = []
        self.failures = 0
        self.facts = detect.Facts()
        self.echoes = Echoes()
        """What was changed, should the upstream show it."""

    def rewrite(self, body: bytes) -> bytes:
        """The body with its prompts rewritten; a body that cannot be read comes back as it is."""
        try:
            raw = body.decode()
            document = json.loads(raw)
        except (ValueError, RecursionError) as error:
            self.warnings.append(f"the request body is no JSON and passed on untouched: {error}")
            return body
        name = detect.shape(self._name, document)
        self._protocol = detect.protocol(name)
        self.facts = detect.facts(name, document, self._path)
        if not isinstance(document, dict):
            return body
        if self._layers.map_workspace:
            self.facts = self.facts._replace(workspace=find_workspace(document))
        try:
            new = self._rewrite(raw, document)
        except Exception as error:
            self.failures += 1
            self.edits.clear()
            self.warnings.append(
                f"the request could not be rewritten and passed on as it came: {error!r}"
            )
            return body
        return body if self._layers.shadow or new is raw else new.encode()

    def _rewrite(self, raw: str, document: dict[str, Any]) -> str:
        changes: dict[Path, str] = {}
        gone: dict[Path, set[int]] = {}
        if self._signatures:
            for thought in self._protocol.signed_thoughts(document):
                original = self._signatures.original(thought.signature)
                if original is not None and original != thought.text:
                    changes[thought.path] = original
        pairs: list[tuple[str, str]] = []
        prompts = self._protocol.prompts(document) if self._layers.neutralize else ()
        for prompt in prompts:
            for path, element, old, result in self._neutralized(prompt):
                if result.text == old:
                    continue
                if element and not result.text.strip():
                    *array, index = element
                    gone.setdefault(tuple(array), set()).add(int(index))
                else:
                    changes[path] = result.text
                    pairs.append((result.text, old))
        if not changes and not gone:
            return raw
        if not self._layers.shadow:
            self.echoes = Echoes(pairs)
        spans = locate(raw, [*changes, *gone])
        style = style_of(raw)
        splices = [Splice(*spans[path], literal(text, style)) for path, text in changes.items()]
        for where, indices in gone.items():
            splices += remove_elements(raw, spans[where], indices)
        return apply(raw, splices)

    def _neutralized(self, prompt: Prompt) -> Iterator[tuple[Path, Path | None, str, Neutralized]]:
        results = neutralize_parts(prompt.texts, target=prompt.target, rules=self._layers.rules)
        for path, element, old, result in zip(
            prompt.paths, prompt.elements, prompt.texts, results, strict=True
        ):
            self.edits += [replace(edit, place=prompt.place) for edit in result.edits]
            self.warnings += [f"{prompt.place}: {warning}" for warning in result.warnings]
            yield path, element, old, result
