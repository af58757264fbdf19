"""GET /metrics: the Prometheus metrics of all replicas on this node."""

from __future__ import annotations

import asyncio

import httpx
import ray
from fastapi import APIRouter
from starlette.responses import PlainTextResponse

from deployments.ingress.errors import NoMetrics
from deployments.ingress.operations.services import Services
from deployments.outbound.outbound_requests import outbound_client

AGENT_TIMEOUT_S = 5.0


def router(_services: Services) -> APIRouter:
    """The route /metrics."""
    routes = APIRouter(tags=["health"])

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> PlainTextResponse:
        """Counters and histograms: `pagemill_*` of ours, `ray_serve_*` of Serve."""
        address = await asyncio.to_thread(_agent)
        try:
            async with outbound_client(AGENT_TIMEOUT_S) as client:
                response = await client.get(f"http://{address}/metrics")
        except httpx.HTTPError:
            raise NoMetrics("the metrics agent of this node does not answer") from None
        return PlainTextResponse(response.text, media_type="text/plain; version=0.0.4")

    return routes


def _agent() -> str:
    """Host and port of this node's metrics agent."""
    node = ray.get_runtime_context().get_node_id()
    for ray_node in ray.nodes():
        if ray_node["NodeID"] == node:
            return f"{ray_node['NodeManagerAddress']}:{ray_node['MetricsExportPort']}"
    raise NoMetrics("this node has no metrics agent")
