"""Layer 3: the assistant says that it is the model that was asked for, made by that model's vendor.

Only what it says of itself, and only in prose: code and JSON keep their bytes. Everything is
decided from the last 640 characters, which are remembered, not held: see `identity_leads` for what
decides, `identity_rules` for what changes and `identity_prose` for how little waits.
"""

from __future__ import annotations

from collections.abc import Mapping

from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity_leads import Persona
from mitmproxy_windsurf.text.identity_opening import Changes, Opening
from mitmproxy_windsurf.text.identity_prose import ProseRewriter
from mitmproxy_windsurf.text.transform import rewrite


class IdentityStream:
    """Rewrites one text; without a model's name everything passes.

    `unwrap`: replace the record that some upstreams send in place of an answer by its description;
    not for a client that asked for JSON. `vendors` adds families to the table of `vendors`.
    """

    def __init__(
        self, model: str | None, *, unwrap: bool = True, vendors: Mapping[str, str] | None = None
    ) -> None:
        changes = Changes()
        self.edits: list[Edit] = changes.edits
        persona = Persona.of(model, vendors or {})
        self._stage: Opening | ProseRewriter | None = (
            Opening(persona, changes, unwrap=unwrap) if persona else None
        )

    @property
    def held(self) -> str:
        return self._stage.held if self._stage else ""

    def feed(self, text: str, /) -> str:
        stage = self._stage
        if stage is None:
            return text
        out = stage.feed(text)
        if stage.next is not None:
            self._stage = stage.next
        return out

    def flush(self) -> str:
        return self._stage.flush() if self._stage else ""

    def release(self) -> str:
        return self._stage.release() if self._stage else ""


def rewrite_identity(text: str, model: str | None) -> str:
    """Rewrite a whole text."""
    return rewrite(IdentityStream(model), text)
