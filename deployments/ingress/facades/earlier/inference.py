"""POST /inference and GET /stats: completions by the language model in the format of earlier clients."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from deployments.calls.cancellable_calls import call
from deployments.calls.handles import LmHandle
from deployments.ingress.errors import ModelNotConfigured
from deployments.ingress.operations.services import Services


class Prompted(BaseModel):
    """What is to be continued, and by how many tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: str
    num_tokens: int = Field(50, ge=1, description="number of tokens to generate; stop tokens are ignored")


class Completed(BaseModel):
    """What follows on the prompt, without it."""

    completion: str


def router(services: Services) -> APIRouter:
    """The routes /inference and /stats."""
    routes = APIRouter(tags=["language model"])

    @routes.post("/inference")
    async def inference(body: Prompted) -> Completed:
        """A greedy completion; requests of all callers share decode steps (`lm.mode`)."""
        return Completed(completion=await call(_lm(services).complete.remote(body.prompt, body.num_tokens)))

    @routes.get("/stats")
    async def stats() -> dict[str, float]:
        """`latency-per-token`: seconds, the mean over requests; `throughput`: tokens over the sum of their seconds."""
        return await call(_lm(services).stats.remote())

    return routes


def _lm(services: Services) -> LmHandle:
    if services.lm is None:
        raise ModelNotConfigured("no language model is configured: set lm.model", code="lm_not_configured")
    return services.lm
