"""Any client protocol to OpenAI Chat Completions and back, sans-IO: JSON and events in, JSON and
bytes out.

A request becomes the body of a chat request; the answer to that is read into neutral events; from
these the client's protocol writes its own stream or its one document.
"""
