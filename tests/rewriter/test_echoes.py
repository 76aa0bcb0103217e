"""What upstreams show of the prompt."""

from mitmproxy_windsurf.rewriter.echoes import Echoes

SAID = "You are Claude Code, and this goes on for a while."
SENT = "You are a coding agent, and this goes on for a while."


def test_a_text_that_came_back_is_what_the_client_said() -> None:
    assert Echoes([(SENT, SAID)]).restore(SENT) == SAID


def test_a_rendered_prompt_holds_it_somewhere() -> None:
    assert Echoes([(SENT, SAID)]).restore(f"<s>{SENT}</s>") == f"<s>{SAID}</s>"


def test_a_short_text_is_not_looked_for_in_longer_ones() -> None:
    echoes = Echoes([("Read", "Claude Read")])
    assert echoes.restore("Read") == "Claude Read"
    assert echoes.restore("Readers read.") == "Readers read."


def test_what_was_emptied_is_not_looked_for_everywhere() -> None:
    assert Echoes([("", SAID)]).restore("") == ""


def test_what_was_said_on_a_connection_adds_up() -> None:
    echoes = Echoes([(SENT, SAID)])
    echoes.learn(Echoes([("b", "a")]))
    assert echoes.restore(SENT) == SAID
    assert echoes.restore("b") == "a"
    assert not Echoes([("same", "same")])
