"""`deployments.library_internals.serve_state`: each private name of Ray and Serve is there, and means what it did.

That of batches: tests/deployments/replicas/test_batch_loop.py.
"""

from __future__ import annotations

import dataclasses
import inspect

import pytest
from ray._private import services
from ray.serve import context
from ray.serve._private import http_util
from ray.serve._private.client import ServeControllerClient
from ray.serve._private.replica import Replica, ReplicaActor
from ray.serve.config import HTTPOptions
from ray.serve.schema import DeploymentStatus, DeploymentStatusOverview, DeploymentStatusTrigger

from deployments.library_internals import serve_state


def test_the_proxy_listens_where_the_client_of_serve_says(monkeypatch: pytest.MonkeyPatch) -> None:
    client = object.__new__(ServeControllerClient)  # its constructor asks the controller
    client._http_config = HTTPOptions(host="0.0.0.0", port=8123)
    monkeypatch.setattr(serve_state, "_get_global_client", lambda: client)
    assert serve_state.proxy_address() == ("0.0.0.0", 8123)


def test_the_dashboard_publishes_its_address_where_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    published = {}
    monkeypatch.setattr(
        serve_state, "_internal_kv_get", lambda key, *, namespace: published.get((key, namespace.decode()))
    )
    assert serve_state.dashboard_address() is None
    published["dashboard", "dashboard"] = b"127.0.0.1:8265"
    assert serve_state.dashboard_address() == "127.0.0.1:8265"
    source = inspect.getsource(services.start_api_server)
    assert "KV_NAMESPACE_DASHBOARD" in source
    assert "DASHBOARD_ADDRESS" in source


def test_a_call_has_the_id_that_serve_gave_it() -> None:
    token = context._serve_request_context.set(context._RequestContext(request_id="by-ann"))
    try:
        assert serve_state.request_id() == "by-ann"
    finally:
        context._serve_request_context.reset(token)
    assert serve_state.request_id() is None
    assert "request_id" in inspect.getsource(http_util)


def test_only_running_replicas_are_counted() -> None:
    status = DeploymentStatusOverview(
        status=DeploymentStatus.UPDATING,
        status_trigger=DeploymentStatusTrigger.UNSPECIFIED,
        replica_states={"RUNNING": 2, "STARTING": 1},
        message="",
    )
    assert serve_state.num_running(status) == 2
    assert serve_state.num_running(dataclasses.replace(status, replica_states={})) == 0


def test_serve_awaits_the_first_health_check_before_it_lets_calls_in() -> None:
    """Engines and jobs start there; Serve documents that check, but not that it comes first."""
    initialize = inspect.getsource(Replica.initialize)
    assert initialize.index("initialize_callable()") < initialize.index("await self.check_health()")
    assert "await self._replica_impl.initialize(" in inspect.getsource(ReplicaActor.initialize_and_get_metadata)
