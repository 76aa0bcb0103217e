"""Hypothesis profiles: `default` is quick, `deep` (HYPOTHESIS_PROFILE=deep) is what CI runs.

Neither has a deadline, since no test asserts wall-clock time. In CI no examples are remembered:
the machine is not kept, and a failure prints how to reproduce it.
"""

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

pytest.register_assert_rewrite("casebook", "traffic")

_database: ExampleDatabase | None = (
    None if os.environ.get("CI") else DirectoryBasedExampleDatabase(".hypothesis/examples")
)

settings.register_profile(
    "default",
    deadline=None,
    database=_database,
    max_examples=50,
    print_blob=True,
    # A busy machine makes any generator look slow.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", parent=settings.get_profile("default"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
