"""Which characters of a streamed text are prose and which are code.

The answer depends on the past alone, so nothing ever waits: a backtick run opens inline code until
a run of the same length or the end of the line, and a fence until its closing fence line.
Backticks are code themselves.

While `idle` is true, only the characters that `SPECIAL` finds can change the answer: text without
them is code if `in_code` is true, else prose, and need not be shown to the tracker at all.
"""

from __future__ import annotations

import re
from typing import Final

SPECIAL: Final = re.compile(r"[`\r\n]").search
"""Finds the first character that an idle tracker has to see."""

_TOKENS: Final = re.compile(r"`+|[~\r\n]|[^`~\r\n]+").findall

_MARGIN: Final = r"(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*"
_FENCE_LINE: Final = re.compile(rf"{_MARGIN}(`{{3,}}|~{{3,}})[ \t]*").fullmatch
"""How a line that opens a fence begins: blanks, quote marks, list markers and the fence."""
_CLOSING_LINE: Final = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*").fullmatch

_MAY_BE_FENCE: Final = re.compile(r"[ \t>*+\-\d.)]*(?:`*|~*)[ \t]*").fullmatch
_FENCE_WITHIN: Final = 200
"""A fence lies in the first characters of its line: what is remembered of a line stays short."""

State = tuple[str, str, int, int, str | None]


class ProseTracker:
    """Tells prose from code, character by character."""

    __slots__ = ("_fence", "_line", "_opener", "_opening", "_run", "idle", "in_code")

    def __init__(self) -> None:
        self._fence = ""
        """The run that opened the fence we are in."""
        self._opening = ""
        """The run that opens a fence if this line ends without another run of backticks."""
        self._opener = 0
        """The length of the run that opened the inline code we are in."""
        self._run = 0
        """The length of the run of backticks at the very end, which may still grow."""
        self._line: str | None = ""
        """The line so far while it may be a fence line."""
        self.in_code = False
        """Whether the next character is code, unless it is a backtick or ends the line."""
        self.idle = False
        """Whether only `SPECIAL` characters can change `in_code`."""

    def split(self, text: str) -> list[tuple[bool, str]]:
        """Take more text and return its longest stretches: (is it prose, the characters)."""
        if self.idle and SPECIAL(text) is None:
            return [(not self.in_code, text)] if text else []
        stretches: list[tuple[bool, str]] = []
        start = end = 0
        was_prose = True
        for token in _TOKENS(text):
            is_prose = self._take(token)
            if is_prose != was_prose:
                if end > start:
                    stretches.append((was_prose, text[start:end]))
                start, was_prose = end, is_prose
            end += len(token)
        if end > start:
            stretches.append((was_prose, text[start:end]))
        self._settle()
        return stretches

    def snapshot(self) -> State:
        """The state, for `restore`: as if the text that comes in between had never been."""
        return self._fence, self._opening, self._opener, self._run, self._line

    def restore(self, state: State) -> None:
        self._fence, self._opening, self._opener, self._run, self._line = state
        self._settle()

    @property
    def at_line_start(self) -> bool:
        """Whether nothing but blanks has come on this line."""
        return self._line is not None and not self._line.strip()

    def _take(self, token: str) -> bool:
        """Whether this token (a backtick run, a tilde, a line break, other text) is prose."""
        is_run = token[0] == "`" and not self._fence and not self._opening.startswith("~")
        if self._run and not is_run:
            self._end_run()
        if token in "\r\n":
            return self._end_line()
        if self._line is not None:
            self._extend_line(token)
        if is_run:
            self._run += len(token)
            return False
        return not (self._fence or self._opening or self._opener)

    def _end_run(self) -> None:
        """The run of backticks is complete: it opens or closes inline code, or is a part of it."""
        run, self._run = self._run, 0
        if not self._opener:
            self._opener = run
            if self._line and (fence := _FENCE_LINE(self._line)):
                self._opening = fence[1]
            return
        self._opening = ""
        if run == self._opener:
            self._opener = 0

    def _extend_line(self, token: str) -> None:
        line = (self._line or "") + token[:_FENCE_WITHIN]
        if len(line) >= _FENCE_WITHIN or not _MAY_BE_FENCE(line):
            self._line = None
            return
        self._line = line
        if token == "~" and not self._fence and (fence := _FENCE_LINE(line)):
            self._opening = fence[1]

    def _end_line(self) -> bool:
        """Fences open and close where their line ends; inline code ends here at the latest."""
        was_code = bool(self._fence or self._opening)
        if self._fence:
            closing = _CLOSING_LINE(self._line) if self._line else None
            if closing and closing[1].startswith(self._fence):
                self._fence = ""
        else:
            self._fence = self._opening
        self._opening, self._opener, self._line = "", 0, ""
        return not was_code

    def _settle(self) -> None:
        if self._fence or self._opening.startswith("~"):
            self.in_code = True
        elif self._run:
            self.in_code = self._run != self._opener
        else:
            self.in_code = self._opener > 0
        self.idle = self._line is None and not self._run
