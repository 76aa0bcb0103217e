"""A conversation as text, in the manner of YAML, which mitmproxy can color."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mitmproxy_windsurf.debug.conversation.model import Block, Conversation, Message
from mitmproxy_windsurf.debug.outline import READING, Style, entry, indented, literal, outline

LONGEST = 4 * 1024 * 1024
"""Characters of a whole conversation that are shown."""


def lines(conversation: Conversation, style: Style = READING) -> list[str]:
    """Sections, each a key at the left margin, with an empty line between what is said."""
    found: list[str] = []
    size = 0
    for section in _sections(conversation, style):
        size += sum(map(len, section))
        if size > LONGEST:
            found.append("… the rest is left out, it is too long …")
            break
        found += section
    return found


def render(conversation: Conversation, notes: Iterable[str] = ()) -> str:
    """The text; `notes` say what is wrong with the body."""
    found = [*(f"# {note}" for note in notes), *lines(conversation)]
    # JSON can hold lone surrogates, which no encoder takes.
    return "\n".join(found).encode("utf-8", "replace").decode()


def _sections(conversation: Conversation, style: Style) -> Iterator[list[str]]:
    if conversation.model:
        yield [f"model: {conversation.model}"]
    for key, value in conversation.parameters.items():
        yield outline({key: value}, style)
    if conversation.tools:
        yield ["tools:"]
        for tool in conversation.tools:
            yield list(
                indented(outline({tool.name: tool.summary}) if tool.summary else [tool.name])
            )
    tools = {
        block.id: block.name
        for message in conversation.messages
        for block in message.blocks
        if block.kind == "call"
    }
    for message in conversation.messages:
        yield from _message(message, tools, style)
    for error in conversation.errors:
        yield ["", *entry("error", error, literal(error, style))]
    if conversation.usage:
        yield ["", "usage:", *indented(f"{key}: {n}" for key, n in conversation.usage.items())]


def _message(message: Message, tools: dict[str, str], style: Style) -> Iterator[list[str]]:
    for block in message.blocks:
        yield ["", *_block(block, message.role or "?", tools, style)]
    if message.stop:
        yield ["", f"stop: {message.stop}"]


def _block(block: Block, role: str, tools: dict[str, str], style: Style) -> Iterator[str]:
    name = block.name or tools.get(block.id, "")
    if block.kind == "call":
        title = f"{role} calls {name or '?'}"
    elif block.kind == "result":
        title = f"result of {name}" if name else "result"
    elif block.kind == "other":
        title = f"{role}, {name}"
    else:
        title = role if block.kind == "text" else f"{role}, {block.kind}"
    if block.id:
        title += f" ({block.id})"
    if block.failed:
        title += ", failed"
    said = block.text if block.data is None else block.data
    shown = literal(said, style) if isinstance(said, str) else outline(said, style)
    yield from entry(title, said, shown)
