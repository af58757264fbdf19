"""What holds for every test: one thread a model, nothing that leaves the machine, and who runs beside whom."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported: tests run beside others
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import pytest

SERVED = "serve"  # the folder whose tests share one server


@pytest.hookimpl(tryfirst=True)  # before xdist asks for the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """For workers side by side: the tests of the one server stay together and begin first; the others go by file."""
    for item in items:
        served = SERVED in item.path.parts
        item.add_marker(pytest.mark.xdist_group(SERVED if served else str(item.path)))
    items.sort(key=lambda item: SERVED not in item.path.parts)
