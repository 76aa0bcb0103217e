"""Which layers run, and with what: everything that a rewriter has to know beside the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mitmproxy_windsurf.prompts import RuleSet


@dataclass(frozen=True)
class Layers:
    """The switches of the four layers and the data they work with.

    With `shadow` everything is matched and counted, and nothing is changed. `rules` None stands
    for the shipped rules; `vendors` maps further family words of model names to their vendors.
    With `map_workspace` requests are searched for the client's own directory; that is then the
    `workspace` which, in tool arguments, takes the place of a private root.
    """

    neutralize: bool = True
    paths: bool = True
    identity: bool = True
    dedup: bool = True
    shadow: bool = False
    private_paths: tuple[str, ...] = ()
    map_workspace: bool = False
    workspace: str | None = None
    rules: RuleSet | None = None
    vendors: Mapping[str, str] = field(default_factory=dict)
    max_frame: int = 8 * 1024 * 1024
