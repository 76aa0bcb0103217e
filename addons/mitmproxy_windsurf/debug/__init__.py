"""What people look at when they ask what happened to a prompt or an answer, and why: pure functions
over bytes and records, for mitmweb, the console and the command line alike."""
