"""Finding what in a request triggers a refusal, by sending it cut off at ever better places.

Without input, output or time: a `Bisection` says which bytes to send next and is told how they were
answered. `units` takes a request's prompts and tools apart, `variants` puts some of them together
again, `search` chooses where to cut, `finding` and `rules` turn what is left into a rule.
"""

from mitmproxy_windsurf.debug.bisect.driver import Bisection
from mitmproxy_windsurf.debug.bisect.result import Result

__all__ = ["Bisection", "Result"]
