"""Everything that knows mitmproxy."""
