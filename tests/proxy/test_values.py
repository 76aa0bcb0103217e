"""How the text of an option is read."""

from collections.abc import Callable
from typing import Any

import pytest

from mitmproxy_windsurf.proxy import values


@pytest.mark.parametrize(
    ("parse", "value", "expected"),
    [
        (values.size, "8 MiB", 8 * 2**20),
        (values.size, "8MB", 8 * 2**20),
        (values.size, "512k", 512 * 2**10),
        (values.size, "1.5 GiB", 3 * 2**29),
        (values.size, "1048576", 2**20),
        (values.size_or_off, "off", 0),
        (values.size_or_off, "None", 0),
        (values.size_or_off, "0", 0),
        (values.size_or_off, "2k", 2048),
        (values.frame_size, "1k", 1024),
        (values.seconds, "0", 0.0),
        (values.seconds, "0.02", 0.02),
        (values.seconds, ".5", 0.5),
        (values.seconds, "20 ms", 0.02),
        (values.seconds, "2s", 2.0),
        (values.choice("auto", "pass"), " Auto ", "auto"),
        (values.words, ["a, b", "", "c"], ("a", "b", "c")),
        (values.items, [" a, b ", "", "c"], ("a, b", "c")),
        (values.host_patterns, ["API.example.com", "*.b.c"], ("api.example.com", "*.b.c")),
        (values.host_patterns, ["[::1]"], ("::1",)),
        (values.paths, ["/srv/my, handler", r"C:\handler", r"\srv"], None),
        (values.pairs, ["yi=01.AI", "a=b, c = d"], {"yi": "01.AI", "a": "b", "c": "d"}),
        (values.as_is, True, True),
    ],
)
def test_good_values(parse: Callable[[Any], Any], value: Any, expected: Any) -> None:
    assert parse(value) == (tuple(value) if expected is None else expected)


@pytest.mark.parametrize(
    ("parse", "value", "cure"),
    [
        (values.size, "8 potatoes", "8 MiB"),
        (values.size, "", "8 MiB"),
        (values.size, "-1", "8 MiB"),
        (values.size_or_off, "offf", "8 MiB"),
        (values.frame_size, "10", "8 MiB"),
        (values.seconds, "soon", "0.02"),
        (values.seconds, "-1", "0.02"),
        (values.seconds, "3600", "0.02"),
        (values.choice("auto", "pass", "scrub"), "maybe", "auto, pass or scrub"),
        (values.host_patterns, ["http://a.b"], "api.example.com"),
        (values.host_patterns, ["a.b:443"], "api.example.com"),
        (values.paths, ["relative/dir"], "/srv/handler"),
        (values.paths, ["/"], "/srv/handler"),
        (values.pairs, ["yi"], "yi=01.AI"),
        (values.pairs, ["=x"], "yi=01.AI"),
    ],
)
def test_bad_values_say_what_to_write(parse: Callable[[Any], Any], value: Any, cure: str) -> None:
    with pytest.raises(ValueError, match=cure.replace(".", r"\.")) as caught:
        parse(value)
    assert str(caught.value).startswith("is ")


@pytest.mark.parametrize(
    ("value", "default", "expected", "warns"),
    [
        (None, True, True, False),
        ("", True, True, False),
        ("1", True, True, False),
        ("0", True, False, False),
        (" 0 ", True, False, False),
        ("no", True, True, True),
        (None, False, False, False),
        ("0", False, False, False),
        ("1", False, True, False),
        ("true", False, False, True),
    ],
)
def test_switches_in_the_environment(
    value: str | None, default: bool, expected: bool, warns: bool
) -> None:
    environment = {} if value is None else {"NAME": value}
    found, warning = values.switch_from(environment, "NAME", default)
    assert found is expected
    assert bool(warning) is warns
    if value and warning:
        assert "NAME" in warning
        assert value not in warning.split(), "a value of the environment may be a secret"


def test_a_count_is_one_at_least() -> None:
    assert values.count(" 60 ") == 60
    for text in ("0", "-1", "1.5", "many", "", "1234567"):
        with pytest.raises(ValueError, match="is not a number above 0"):
            values.count(text)


def test_a_pattern_finds_upper_and_lower_case_in_bytes() -> None:
    found = values.pattern("can ?not help")
    assert found
    assert found.search(b"We CANNOT help")
    assert values.pattern(" ") is None
    with pytest.raises(ValueError, match="is not a regular expression"):
        values.pattern("(")
