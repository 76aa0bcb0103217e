"""Whom to believe over TLS: the system, what mitmproxy brings, or what SSL_CERT_FILE names."""

from __future__ import annotations

import os
import ssl


def trusted() -> ssl.SSLContext:
    """A context that checks certificates and names. OpenSSL reads SSL_CERT_FILE and SSL_CERT_DIR by
    itself; whoever sets them means these authorities and no others.

    Raises:
        OSError: a file of certificates cannot be read.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not (os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")):
        try:
            import certifi
        except ImportError:
            return context
        context.load_verify_locations(certifi.where())
    return context
