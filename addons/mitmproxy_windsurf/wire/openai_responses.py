"""OpenAI Responses: `POST …/responses`, streamed and whole, and the routes that carry the same
body.

Nothing here depends on how events are framed: the messages of its WebSocket are the same documents.
Where prompts stand is in `openai_responses_prompts`, how answers are read in
`openai_responses_reading`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from mitmproxy_windsurf.wire.openai_responses_items import STREAMS, Place
from mitmproxy_windsurf.wire.openai_responses_prompts import prompts_at
from mitmproxy_windsurf.wire.openai_responses_reading import read, read_whole
from mitmproxy_windsurf.wire.parts import Extra, Json, Key, Prompt, SignedThought
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at

__all__ = ["delta", "prompts", "read", "read_whole", "signed_thoughts", "slot"]

_ADDRESS = ("sequence_number", "stream_id", "item_id", "output_index")


def prompts(body: Json) -> Iterator[Prompt]:
    """Instructions, system and developer turns, tools, the description of a text format."""
    return prompts_at(body, ())


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """None: what seals reasoning here is not the text."""
    return iter(())


def slot(document: Json, key: Key) -> Path | None:
    """None: an event speaks of one text, or of texts that have ended."""
    return None


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more delta of the text, numbered if the events are."""
    place = cast(Place, key.item)
    kind = f"response.{place.events}.delta"
    document: Json = {"type": kind}
    document.update((name, like[name]) for name in _ADDRESS if name in like)
    if isinstance(item_id := at(like, ("item", "id")), str):
        document["item_id"] = item_id
    if isinstance(place.output, int):
        document["output_index"] = place.output
        if counter := STREAMS[place.events].counter:
            document[counter] = place.position
    document["delta"] = {place.member: text} if place.member else text
    if "logprobs" in like:
        document["logprobs"] = []
    return Extra(kind, document)
