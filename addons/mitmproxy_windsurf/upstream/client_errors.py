"""How a request to another server can fail; the message is fit for a user's eyes."""

from __future__ import annotations


class RequestFailed(Exception):
    """There is no answer, or only a part of one."""


class ConnectFailed(RequestFailed):
    """Nothing was sent: `address` could not be reached, and `reason` says why."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"cannot connect to {address}: {reason}")
        self.address = address
        self.reason = reason


class AnswerBroken(RequestFailed):
    """The request was sent, and the answer ended before it was complete."""


class AnswerSilent(AnswerBroken):
    """Nothing came for so long that it was given up."""
