"""The layers on the wire: requests and answers, bytes in and bytes out, no sockets."""

from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.rewriter.requests import RequestRewriter
from mitmproxy_windsurf.rewriter.responses import ResponseRewriter

__all__ = ["Layers", "RequestRewriter", "ResponseRewriter"]
