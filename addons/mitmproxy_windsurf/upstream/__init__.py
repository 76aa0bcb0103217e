"""The embedded upstream handler: a loopback HTTP server and what answers on it."""
