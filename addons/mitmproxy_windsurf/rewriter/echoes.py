"""What a server shows of the prompt it got: the client finds there what it has said itself."""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST = 24
"""Characters that a changed text needs to be looked for inside of a longer one."""


class Echoes:
    """The texts of a request that were changed, as pairs: what went up, what the client said."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._originals = {sent: said for sent, said in pairs if sent and sent != said}

    def __bool__(self) -> bool:
        return bool(self._originals)

    def learn(self, other: Echoes) -> None:
        """Add those of a further request on the same connection."""
        self._originals.update(other._originals)

    def restore(self, text: str) -> str:
        """A text that came back, as the client has said it. It may hold more than one of them, as a
        prompt that was rendered by a template does."""
        if text in self._originals:
            return self._originals[text]
        for sent, said in self._originals.items():
            if len(sent) >= SHORTEST:
                text = text.replace(sent, said)
        return text
