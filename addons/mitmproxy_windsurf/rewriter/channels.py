"""Which layers run on which channel of an answer, and in what order.

| channel | dedup | paths | identity |
| text | first, on the raw text | yes | yes |
| thinking | feeds it, raw | yes | yes |
| tool_input | ends it | inside the JSON strings | never |
| tool_text | ends it | yes | never |
| refusal, result, error | – | yes | never |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity import IdentityStream
from mitmproxy_windsurf.text.json_strings import JSONStrings
from mitmproxy_windsurf.text.paths import PathScrubber, PathStream
from mitmproxy_windsurf.text.transform import Transform
from mitmproxy_windsurf.wire.parts import Channel

TOOL_CHANNELS: tuple[Channel, ...] = ("tool_input", "tool_text")
SPOKEN_CHANNELS: tuple[Channel, ...] = ("text", "thinking")


class Stage(Transform, Protocol):
    """What every layer offers beside the three verbs."""

    @property
    def edits(self) -> list[Edit]:
        """What was changed so far."""
        ...

    @property
    def held(self) -> str:
        """The input whose output is undecided."""
        ...


def stages(
    channel: Channel, layers: Layers, *, model: str | None, unwrap: bool, streamed: bool = True
) -> Sequence[Stage]:
    """The layers for one text of this channel, without dedup."""
    found: list[Stage] = []
    if layers.paths:
        found.append(_paths(channel, layers, streamed=streamed))
    if layers.identity and model and channel in SPOKEN_CHANNELS:
        unwrap = unwrap and channel == "text"
        found.append(IdentityStream(model, unwrap=unwrap, vendors=layers.vendors))
    return found


def _paths(channel: Channel, layers: Layers, *, streamed: bool) -> Stage:
    private, workspace = layers.private_paths, layers.workspace
    if channel == "tool_input" and streamed:
        return JSONStrings(lambda: PathScrubber(private_paths=private, workspace=workspace))
    if channel in TOOL_CHANNELS:
        return PathScrubber(private_paths=private, workspace=workspace)
    return PathStream(private_paths=private)
