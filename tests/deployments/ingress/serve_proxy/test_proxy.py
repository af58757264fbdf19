"""`deployments.ingress.serve_proxy.proxy`: errors of Serve are problem documents, others pass."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from deployments.ingress.middleware.error_responses import ProblemDocument
from deployments.ingress.serve_proxy import proxy
from deployments.ingress.serve_proxy.proxy import CALLBACK, ProblemAnswers
from pagemill.serving.ray_environment import ray_environment


def answered(path: str, response: Response) -> httpx.Response:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await response(scope, receive, send)

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(ProblemAnswers(app))
        async with httpx.AsyncClient(transport=transport, base_url="http://proxy") as client:
            return await client.get(path)

    return asyncio.run(ask())


@pytest.mark.parametrize(("status", "code"), [(404, "starting"), (500, "replica_lost"), (503, "starting")])
def test_a_bare_error_of_serve_becomes_a_problem_document(status: int, code: str) -> None:
    """Guards against a 404 that reads as a wrong address while the server starts, and a bare 500 while it restarts."""
    response = answered("/v1/jobs", PlainTextResponse("Path '/v1/jobs' not found.", status))
    document = ProblemDocument.model_validate(response.json())
    assert (response.status_code, document.code, document.retryable) == (503, code, True)
    assert response.headers["content-type"] == "application/problem+json"
    assert int(response.headers["retry-after"]) > 0


def test_a_call_that_serve_leaves_unanswered_is_answered() -> None:
    """Guards against uvicorn's bare "Internal Server Error" for a replica that the kernel ended."""

    async def silent(scope: Scope, receive: Receive, send: Send) -> None: ...

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(ProblemAnswers(silent))) as client:
            return await client.get("http://proxy/v1/jobs")

    response = asyncio.run(ask())
    assert (response.status_code, response.json()["code"]) == (503, "replica_lost")


def test_answers_of_ingress_and_of_serves_own_paths_pass() -> None:
    """Guards against a 404 of an unknown job that is told as a server that starts."""
    ours = answered("/v1/jobs/x", Response("{}", 404, media_type="application/problem+json"))
    assert (ours.status_code, ours.text) == (404, "{}")
    rpc = answered("/mcp", Response('{"error": {}}', 404, media_type="application/json"))
    assert (rpc.status_code, rpc.text) == (404, '{"error": {}}'), "JSON-RPC says so of an unknown method"
    assert answered("/mcp", PlainTextResponse("no", 404)).status_code == 503
    assert answered("/-/routes", PlainTextResponse("no", 404)).status_code == 404
    assert answered("/livez", PlainTextResponse("yes")).text == "yes"


def test_readiness_during_start_names_what_is_missing(monkeypatch) -> None:
    """Guards against a load balancer that takes the starting server for a wrong address."""

    async def statuses() -> dict[str, Any]:
        return {"ocr": {"status": "starting", "reason": "no replica is running yet"}}

    monkeypatch.setattr(proxy, "deployment_statuses", statuses)
    body = answered("/readyz", PlainTextResponse("Path '/readyz' not found.", 404)).json()
    assert body["parts"]["ocr"]["status"] == "starting"
    assert body["status"] == "starting"


def test_serves_proxy_is_told_of_it_by_the_name_that_ray_reads(tmp_path) -> None:
    """Guards against a callback that a newer Ray does not look for, or a name that is not there."""
    from ray.serve._private import constants

    assert hasattr(constants, "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH")
    module, _, name = CALLBACK.partition(":")
    assert (module, getattr(proxy, name)) == (proxy.__name__, proxy.middlewares)
    assert CALLBACK in inspect.getsource(ray_environment), "pagemill serve sets it"
