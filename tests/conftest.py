"""What holds for every test: one thread per model, nothing leaves the machine, no limit on time, who runs beside."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported: tests run beside others
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")

SERVED = "tests/serve/"  # the folder whose tests share one server


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hands out tests to workers: those of the one server together, the others by file."""
    from xdist.scheduler import LoadScopeScheduling  # only who spreads tests over workers has it

    class ByServer(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::", 1)[0]
            return SERVED if file.startswith(SERVED) else file

    return ByServer(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The server's tests take longest, so they begin first."""
    items.sort(key=lambda item: not item.nodeid.startswith(SERVED))
