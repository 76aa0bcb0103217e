"""What upstreams refuse, as data: sentences in system prompts and tool descriptions.

A gate closes when all of its phrases are there, whatever white space and apostrophes they are
written with. It sees the prompt as it was sent, after all that layer 1 did to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mitmproxy_windsurf.upstream.demo.ask import Ask
from mitmproxy_windsurf.upstream.demo.parts import Failure


@dataclass(frozen=True, slots=True)
class Gate:
    """`share`: of so many requests so many are refused. `in_stream`: a stream is refused by its
    first frame, behind a status of 200."""

    name: str
    phrases: tuple[str, ...]
    failure: Failure
    share: tuple[int, int] = (1, 1)
    in_stream: bool = False


OVERLOADED = Failure(529, "overloaded_error", "Overloaded")
POLICY = Failure(
    400,
    "invalid_request_error",
    "permission_denied: the prompt matches /opt/windsurf/policies/abuse.yaml:12; "
    "trace in /tmp/windsurf-workspace/logs/refused.log",
)
DENIED = Failure(400, "invalid_request_error", "permission_denied: against the usage policy")
ABUSE = Failure(401, "authentication_error", "Access is suspended: abuse detected")
BLOCKED = Failure(403, "permission_error", "This client is not supported")

GATES = (
    Gate("claude_code", ("Claude Code, Anthropic's official CLI for Claude",), OVERLOADED),
    Gate("claude_agent", ("Claude agent, built on Anthropic's Claude Agent SDK",), OVERLOADED),
    Gate("billing_header", ("x-anthropic-billing-header:",), OVERLOADED),
    Gate("security_policy", ("IMPORTANT: Assist with authorized security testing",), POLICY),
    Gate("grok", ("You are Grok", "released by xAI"), ABUSE),
    Gate("apply_patch", ("FREEFORM tool", "do not wrap the patch in JSON"), ABUSE),
    Gate("cline", ("a highly skilled software engineer with extensive",), BLOCKED, in_stream=True),
    # What no client says, for bisections to be tried on.
    Gate("sentence", ("The copper heron counts the tides at noon.",), OVERLOADED),
    Gate("clause", ("although the amber kettle hums in B flat",), DENIED),
    Gate("description", ("Folds the paper lighthouse along its dotted line.",), OVERLOADED),
    Gate("parameter", ("How many marble sparrows to wake",), DENIED),
    Gate("together", ("Bring the velvet anchor indoors", "and grease the wooden comet"), ABUSE),
    Gate("either_one", ("The tin orchard opens on Mondays",), OVERLOADED),
    Gate("either_other", ("The glass harvest is weighed by moonlight",), OVERLOADED),
    Gate("flaky", ("The quartz clock is wound on Thursdays",), OVERLOADED, share=(3, 5)),
    Gate("disguised_as_key", ("Nobody feeds the porcelain wolf",), ABUSE),
    Gate("in_stream", ("The linen bridge sings when crossed",), BLOCKED, in_stream=True),
)


class Gatekeeper:
    """Remembers how often each gate was met: the flaky one refuses by count, not by chance."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        self._gates = gates
        self._met: Counter[str] = Counter()

    def closed(self, ask: Ask) -> Gate | None:
        """The first gate that refuses this request."""
        prompt = plain(f"{ask.system}\n{ask.tool_text}")
        for gate in self._gates:
            if all(phrase in prompt for phrase in gate.phrases):
                turn = self._met[gate.name]
                self._met[gate.name] += 1
                refused, total = gate.share
                if turn * refused % total < refused:
                    return gate
        return None


def plain(text: str) -> str:
    """One kind of white space and of apostrophes."""
    return " ".join(text.replace("’", "'").split())
