"""Real clients talk to the same real proxy as the tests in `proxy`."""

from proxy.conftest import confdir, start_proxy

__all__ = ["confdir", "start_proxy"]
