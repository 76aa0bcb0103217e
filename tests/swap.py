"""A small transform that tests use in place of the real layers."""

from mitmproxy_windsurf.text.edits import Edit


class Swap:
    """Replaces every `needle` by `new`, and holds only what may still become one."""

    def __init__(self, needle: str = "/tmp/x", new: str = "<w>") -> None:
        self.needle, self.new = needle, new
        self.held = ""
        self.edits: list[Edit] = []
        self.fed: list[str] = []

    def feed(self, text: str, /) -> str:
        self.fed.append(text)
        out = ""
        for char in text:
            self.held += char
            while not self.needle.startswith(self.held):
                out, self.held = out + self.held[0], self.held[1:]
            if self.held == self.needle:
                out, self.held = out + self.new, ""
                self.edits.append(Edit("swap", self.needle, self.new))
        return out

    def flush(self) -> str:
        out, self.held = self.held, ""
        return out

    release = flush
