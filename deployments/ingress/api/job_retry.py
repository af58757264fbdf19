"""POST /v1/jobs/{id}/retry: reads a job's stored file again, with the same or other options."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from deployments.calls.cancellable_calls import call
from deployments.ingress.form_options import options_of
from deployments.ingress.middleware.authorization import Namespace, caller_of
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.stored_files import StoredFile
from deployments.ingress.operations.submission import check_webhook, submit
from deployments.values.jobs import Job, Options, Plan


class RetryRequest(BaseModel):
    """What differs from the job that is repeated."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    options: dict[str, Any] = Field({}, description="options to change; the others are kept, except the password")


def router(services: Services) -> APIRouter:
    """The route /v1/jobs/{id}/retry."""
    routes = APIRouter(tags=["jobs"])

    @routes.post("/v1/jobs/{job_id}/retry", status_code=202)
    async def retry(request: Request, job_id: str, namespace: Namespace, body: RetryRequest | None = None) -> Job:
        """A new job for the same bytes: a revision of the same document. The job itself where it is what the document
        is now and nothing differs."""
        caller = caller_of(request)
        await call(services.jobs.check_room.remote(caller.namespace, caller.max_unfinished_jobs))
        job: Job = await call(services.jobs.job.remote(job_id, namespace))
        plan: Plan = await call(services.jobs.plan.remote(job_id, namespace))
        changes = {} if body is None else body.options
        options = options_of(Options, plan.options.model_dump(exclude={"password"}) | changes)
        await check_webhook(options.webhook, services.settings.webhooks)
        file = StoredFile(job_id, job.file_name, plan.sha256, plan.media_type)
        return await submit(services, file, options, None, caller, leave=lambda _: None, repeats=job_id)

    return routes
