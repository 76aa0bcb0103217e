"""Removes the sandbox blocks that an upstream injects, while the text streams.

- A tag inside inline code or a fence is a mention and delimits nothing.
- An opening tag at the end of its line starts injected data: it is swallowed as it comes, to its
  closing tag or the end of the text. So is the rest of a block that stands at the beginning of its
  line, runs straight into its content and over the end of that line: `<workspace_layout>src\\n…`.
- Any other opening tag is held until its closing tag, for `limit` characters, and then is prose.
- Blocks nest, and a closing tag also closes what was opened inside. What follows it is untouched.

What is held is one string of text that is processed already, and a stack of the openings in it, any
of which may still remove the text from its own beginning on. A tag that is being read is such an
opening too: another tag may begin inside it, vanish, and let it go on. So the state after a removal
is the state before, as if the block had never been, and a second pass finds nothing to do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Collection
from enum import Enum
from typing import Final

from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.prose import SPECIAL, ProseTracker, State
from mitmproxy_windsurf.text.tags import Form, TagReader

TAGS: Final = ("workspace_information", "workspace_layout", "user_information")
"""The blocks, by name in lower case."""

LIMIT: Final = 4096
"""Characters that are held at most, from an opening tag on."""

_LINE_BREAK: Final = re.compile(r"[\r\n]").search
_GLUE: Final = re.compile(r"[A-Za-z0-9_/\\~]").match
"""What content may begin with when it runs straight on from its tag; a sentence would pause."""


class Phase(Enum):
    """How far an opening has come."""

    TAG = "its tag is being read"
    BLANK = "only blanks since the tag"
    GLUED = "content straight after the tag, and no line break yet"
    TEXT = "text on the line of the tag"
    DATA = "injected data: swallowed as it comes"


class Opening:
    """A place in the held text from which on a block may be removed."""

    __slots__ = ("content", "leads", "phase", "source", "start", "state", "tag")

    def __init__(self, start: int, source: int, tracker: ProseTracker, tag: TagReader) -> None:
        self.start = start
        """Where the "<" stands in the output, and (`source`) where in the input."""
        self.source = source
        self.state: State = tracker.snapshot()
        self.leads = tracker.at_line_start
        self.tag = tag
        self.phase = Phase.TAG
        self.content = 0
        """Where in the output the content begins."""


class BlockStream:
    """A transform that removes the blocks of `tags`."""

    def __init__(self, *, tags: Collection[str] = TAGS, limit: int = LIMIT) -> None:
        self.edits: list[Edit] = []
        self._tags = tags
        first = "".join({re.escape(tag[0]) for tag in tags})
        self._opens = re.compile(rf"<(?=[<{first}]|\Z)", re.IGNORECASE).search
        """Finds where a tag may begin, and (`_opens_or_closes`) also a closing one."""
        self._opens_or_closes = re.compile(rf"<(?=[</{first}]|\Z)", re.IGNORECASE).search
        self._limit = limit
        self._tracker = ProseTracker()
        self._held = ""
        self._stack: deque[Opening] = deque()
        """The openings in the held text, outermost first."""
        self._names: Counter[str] = Counter()
        """How often each block is open."""
        self._inner: TagReader | None = None
        """The tag that is being read inside swallowed data."""
        self._read = 0
        """Characters of input before the current delta."""
        self._end = 0
        """Where the output ends, the held text included."""
        self._cuts: list[tuple[int, int]] = []
        """Where the output goes on after a removal, and how far ahead of it the input is."""

    @property
    def held(self) -> str:
        return self._held

    @property
    def calm(self) -> bool:
        """Whether nothing but "<" and what `prose.SPECIAL` finds can change the state."""
        return not self._stack and self._tracker.idle

    def feed(self, text: str, /) -> str:
        if not self._stack and not self._opens(text):
            self._track(text)
            self.skip(len(text))
            return text
        pos = 0
        while pos < len(text):
            phase = self._stack[-1].phase if self._stack else Phase.TEXT
            if phase is Phase.DATA:
                pos = self._swallow(text, pos)
            elif phase is Phase.TAG:
                pos = self._read_tag(text, pos)
            else:
                pos = self._read_text(text, pos)
        self._read += len(text)
        return self._take()

    def flush(self) -> str:
        """A block that was held and never closed is prose."""
        return self.release()

    def release(self) -> str:
        held, self._held = self._held, ""
        self._stack.clear()
        self._names.clear()
        self._inner = None
        return held

    def skip(self, count: int) -> None:
        """So many characters have passed without a look, while the state was `calm`."""
        self._read += count
        self._end += count

    def origin(self, position: int) -> int:
        """Where in the input the character stands that is at this position of the output."""
        index = bisect_right(self._cuts, position, key=lambda cut: cut[0])
        return position + (self._cuts[index - 1][1] if index else 0)

    def _read_text(self, text: str, pos: int) -> int:
        """Read prose, code, or the content of a held block, up to the next tag."""
        tag = (self._opens_or_closes if self._names else self._opens)(text, pos)
        end = tag.start() if tag else len(text)
        if end == pos and not self._tracker.in_code:
            return self._open(text, pos)
        end = max(end, pos + 1)  # In code it is a mention.
        if self._stack:
            return self._read_content(self._stack[-1], text, pos, end)
        self._append(text[pos:end])
        return end

    def _read_content(self, block: Opening, text: str, pos: int, end: int) -> int:
        if block.phase is Phase.BLANK:
            if text[pos] in " \t":
                content = text[pos:end].lstrip(" \t")
                self._append(text[pos : end - len(content)])
                return end - len(content)
            glued = block.leads and block.content == self._end and _GLUE(text, pos)
            is_data = text[pos] in "\r\n"
            block.phase = Phase.GLUED if glued or is_data else Phase.TEXT
        if block.phase is Phase.GLUED and (line_break := _LINE_BREAK(text, pos, end)):
            end = line_break.start()
            if end == pos:
                self._swallow_from(block)
                return pos
        self._append(text[pos:end])
        return end

    def _open(self, text: str, pos: int) -> int:
        """Another tag may begin here."""
        tag = TagReader(self._tags, tuple(self._names))
        self._stack.append(Opening(self._end, self._read + pos, self._tracker, tag))
        self._append("<")
        return pos + 1

    def _read_tag(self, text: str, pos: int) -> int:
        opening = self._stack[-1]
        end = opening.tag.read(text, pos)
        self._append(text[pos:end])
        if not self._stack:  # Over the limit: this was no tag.
            return end
        match opening.tag.form:
            case Form.UNFINISHED if end < len(text) and not self._tracker.in_code:
                return self._open(text, end)
            case Form.UNFINISHED if end == len(text):
                pass
            case Form.OPENING:
                opening.phase = Phase.BLANK
                opening.content = self._end
                self._names[opening.tag.name] += 1
            case Form.EMPTY:
                self._remove(self._stack.pop(), end)
            case Form.CLOSING if opening.tag.name in self._names:
                self._close(opening.tag.name, end)
            case _:
                self._give_up_tag()
        return end

    def _give_up_tag(self) -> None:
        """This was no tag, and so are the tags that it interrupted: they are text."""
        while self._stack and self._stack[-1].phase is Phase.TAG:
            self._stack.pop()
        if self._stack and self._stack[-1].phase is Phase.BLANK:
            self._stack[-1].phase = Phase.TEXT

    def _swallow_from(self, block: Opening) -> None:
        """This block is injected data: what is held of it goes, and so does all that comes."""
        self._note(block)
        self._truncate(block.start)
        block.phase = Phase.DATA

    def _swallow(self, text: str, pos: int) -> int:
        """Read injected data, for the tags in it alone."""
        if self._inner is None:
            pos = text.find("<", pos) + 1
            if not pos:
                return len(text)
            self._inner = TagReader(self._tags, tuple(self._names))
        tag = self._inner
        end = tag.read(text, pos)
        if end < len(text) or tag.form is not Form.UNFINISHED:
            self._inner = None
        if tag.form is Form.OPENING:
            nested = Opening(self._end, self._read + end, self._tracker, tag)
            nested.phase = Phase.DATA
            self._stack.append(nested)
            self._names[tag.name] += 1
        elif tag.form is Form.CLOSING:
            self._close(tag.name, end)
        return end

    def _close(self, name: str, pos: int) -> None:
        """Close the innermost block of this name, and with it all that was opened inside."""
        while True:
            block = self._stack.pop()
            self._forget(block)
            if block.phase is not Phase.TAG and block.tag.name == name:
                break
        self._remove(block, pos)

    def _remove(self, block: Opening, pos: int) -> None:
        """Go on as if the block had never been; `pos` is where it ends in the current delta."""
        if block.phase is not Phase.DATA:
            self._note(block)
        self._truncate(block.start)
        self._tracker.restore(block.state)
        while self._cuts and self._cuts[-1][0] >= block.start:
            self._cuts.pop()
        self._cuts.append((block.start, self._read + pos - block.start))

    def _note(self, block: Opening) -> None:
        before = self._held[block.start - self._end :]
        self.edits.append(Edit("block", before, "", layer="paths", start=block.source))

    def _track(self, text: str) -> None:
        if not self._tracker.idle or SPECIAL(text):
            self._tracker.split(text)

    def _append(self, text: str) -> None:
        self._track(text)
        self._held += text
        self._end += len(text)
        while self._stack and self._end - self._stack[0].start > self._limit:
            self._forget(self._stack.popleft())

    def _truncate(self, position: int) -> None:
        if position < self._end:
            self._held = self._held[: position - self._end]
            self._end = position

    def _forget(self, opening: Opening) -> None:
        if opening.phase is not Phase.TAG:
            name = opening.tag.name
            self._names[name] -= 1
            if not self._names[name]:
                del self._names[name]

    def _take(self) -> str:
        """What no opening can remove any more."""
        if not self._stack:
            out, self._held = self._held, ""
            return out
        undecided = self._end - self._stack[0].start
        decided = len(self._held) - undecided
        out, self._held = self._held[:decided], self._held[decided:]
        return out
