"""Layers and rules switched for one request, as a text: `neutralize=off,paths=on,-a3,+x1`.

A text of its own, not an object: it is saved with the flow and holds when that is replayed.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers

LAYERS = ("neutralize", "paths", "identity", "dedup")
SWITCHES = (*LAYERS, "shadow")
GRAMMAR = (
    f"write {', '.join(SWITCHES)} or all with =on or =off, and rules as +ID or -ID, "
    "with commas between, such as neutralize=off,paths=on,-a3"
)
_STATES = {"on": True, "off": False}


@dataclass(frozen=True)
class Switches:
    """What is to differ from the options."""

    layers: tuple[tuple[str, bool], ...] = ()
    rules: tuple[tuple[str, bool], ...] = ()

    def __str__(self) -> str:
        layers = [f"{name}={'on' if on else 'off'}" for name, on in self.layers]
        return ",".join([*layers, *(f"{'+' if on else '-'}{name}" for name, on in self.rules)])

    def applied(self, layers: Layers) -> Layers:
        """The layers with what is switched. Rules that no longer exist are passed over."""
        if self.rules:
            rules = layers.rules or RuleSet()
            on = [name for name, is_on in self.rules if is_on]
            off = [name for name, is_on in self.rules if not is_on]
            layers = replace(layers, rules=rules.switched(on=on, off=off))
        switched: dict[str, bool] = dict(self.layers)
        return replace(layers, **switched) if switched else layers  # type: ignore[arg-type]


def parse(text: str, rules: Collection[str] | None = None) -> Switches:
    """Read the text; of what is said twice the last counts. `rules` are the ids that exist.

    Raises:
        ValueError: names the word that makes no sense, and what to write instead.
    """
    layers: dict[str, bool] = {}
    switched: dict[str, bool] = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        if word[0] in "+-":
            name = word[1:].strip()
            if not name or (rules is not None and name not in rules):
                raise ValueError(f"no rule is called {name!r}{_near(name, tuple(rules or ()))}")
            switched[name] = word[0] == "+"
            continue
        name, _, state = (part.strip() for part in word.partition("="))
        if name not in (*SWITCHES, "all"):
            raise ValueError(f"{name!r} is no layer{_near(name, SWITCHES)}; {GRAMMAR}")
        if state not in _STATES:
            raise ValueError(f"{word!r} says neither on nor off; {GRAMMAR}")
        layers.update(dict.fromkeys(LAYERS if name == "all" else (name,), _STATES[state]))
    return Switches(tuple(layers.items()), tuple(switched.items()))


def _near(name: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {found[0]}?)" if found else ""
