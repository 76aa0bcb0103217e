"""Pure str → str machines: no bytes, no JSON documents, no HTTP."""
