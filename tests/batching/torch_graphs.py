"""The torch route with graphs on a CPU, where they run uncaptured, with attention in plain torch."""

import contextlib

import pytest

from benchmarks.plain_paged_attention import paged_attention

GRAPHS = "graphs"
"""A route's name in tests, for `load`."""


@contextlib.contextmanager
def graphs_on_a_cpu():
    """The torch route is tried with graphs first on a CPU, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("batching.routes.route_choice.GRAPH_DEVICES", ("cpu", "cuda"))
        patch.setattr("batching.routes.route_choice.paged_attention", lambda: paged_attention)
        yield


def load(loader, model, *, route, **options):
    """What `loader` makes of `model` for the CPU; `route` is one of its own, or `GRAPHS`."""
    if route != GRAPHS:
        return loader(model, route=route, **options)
    with graphs_on_a_cpu():
        runner = loader(model, route="torch", **options)
    assert runner.max_in_flight == 2, "its graphs are not in use"
    return runner
