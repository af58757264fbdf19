# No `from __future__ import annotations` here: Serve reads the annotation of `build` as a class.
"""Builds the Serve graph: which deployments there are, which calls which, and the CPUs, GPUs and replicas of each."""

import os
from collections.abc import Mapping
from typing import Any

import ray
from ray import serve
from ray.serve import Application

from configs import Settings, with_environment
from configs.settings_sources import VARIABLE_PREFIX
from deployments.calls.sharded_jobs import ShardedJobs
from deployments.embedder.deployment import Embedder
from deployments.ingress.app import Ingress
from deployments.ingress.facades.docling.callbacks import FORM, CallbackMessages
from deployments.jobs.deployment import Jobs
from deployments.layout.deployment import Layout
from deployments.library_internals.worker_setup import PRELOAD_VARIABLE
from deployments.lm.deployment import Lm
from deployments.ocr.deployment import Ocr
from deployments.pipeline.deployment import Pipeline
from deployments.renderer.deployment import Renderer
from deployments.search.deployment import Search
from deployments.shared_models.deployment import Models
from deployments.shared_models.handle import SharedModelHandle
from deployments.values.shards import deployment_of

MAX_CALLS = 10_000  # for deployments whose callers already limit their calls
MODEL_VARIABLES = {PRELOAD_VARIABLE: "deployments.replicas.model_imports"}  # of processes that run models on a CPU:
# after CUDA was used, a process cannot be forked
MALLOC_VARIABLES = {
    "MALLOC_ARENA_MAX": "2"
}  # LanceDB's threads leave pieces in every arena: 0.5 MB a commit, docs/retrieval.md


def build(args: Settings) -> Application:
    """The application of `serve_config.yaml`: its `args`, overridden by the variables `PAGEMILL_*`."""
    settings = _resolved(args)
    limits = settings.limits
    renderer = _deployed(Renderer, settings, cpus=0.1, calls=MAX_CALLS).bind(settings)
    finder, reader, embedder = _models(settings)
    search = _deployed(Search, settings, cpus=0.05, calls=MAX_CALLS, variables=MALLOC_VARIABLES).bind(
        settings, embedder
    )
    pipeline = _deployed(Pipeline, settings, cpus=0.05, calls=4 * limits.max_pages_in_flight * settings.shards).bind(
        settings, renderer, finder, reader, search
    )
    lm = _lm(settings)
    owners = tuple(
        _deployed(Jobs, settings, name=deployment_of(shard), cpus=0.05, calls=MAX_CALLS).bind(
            settings, pipeline, lm, {FORM: CallbackMessages()}, shard
        )
        for shard in range(settings.shards)
    )
    jobs = owners[0] if settings.shards == 1 else ShardedJobs(owners)
    ingress = _deployed(Ingress, settings, cpus=0.05, calls=MAX_CALLS)
    return ingress.bind(settings, jobs, pipeline, renderer, finder, reader, search, lm, embedder)


def _models(settings: Settings) -> tuple[Any, Any, Any]:
    """Layout, Ocr and Embedder, each in a process of its own, or all in one."""
    gpus = settings.layout.num_gpus, settings.ocr.num_gpus
    if settings.shared_models:
        models = _deployed(Models, settings, cpus=0.2, calls=MAX_CALLS, gpus=max(gpus), variables=MODEL_VARIABLES).bind(
            settings
        )
        return (
            SharedModelHandle(models, "layout"),
            SharedModelHandle(models, "ocr"),
            SharedModelHandle(models, "embedder"),
        )
    layout = _deployed(
        Layout, settings, cpus=0.1, calls=settings.layout.max_ongoing, gpus=gpus[0], variables=MODEL_VARIABLES
    )
    ocr = _deployed(Ocr, settings, cpus=0.1, calls=settings.ocr.max_ongoing, gpus=gpus[1], variables=MODEL_VARIABLES)
    embedder = _deployed(Embedder, settings, cpus=0.05, calls=MAX_CALLS, variables=MODEL_VARIABLES)
    return layout.bind(settings), ocr.bind(settings), embedder.bind(settings)


def _lm(settings: Settings) -> Application | None:
    if settings.lm.model is None:
        return None
    return _deployed(Lm, settings, cpus=0.1, calls=MAX_CALLS, gpus=settings.lm.num_gpus).bind(settings)


def _deployed(
    body: type,
    settings: Settings,
    *,
    cpus: float,
    calls: int,
    gpus: float = 0,
    variables: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Any:
    """A deployment, by default named as its class; what it may hold at once, and how long it may take to stop."""
    resources: dict[str, Any] = {"num_cpus": cpus}  # small: one core is enough to start, and Ray jobs find room beside
    if gpus:
        resources["num_gpus"] = gpus
    elif variables:  # they take the place of the application's
        resources["runtime_env"] = {"env_vars": {**_own_variables(), **variables}}
    return serve.deployment(
        name=name or body.__name__,
        max_ongoing_requests=calls,
        max_queued_requests=-1,
        graceful_shutdown_timeout_s=settings.limits.shutdown_s,
        graceful_shutdown_wait_loop_s=min(0.5, settings.limits.shutdown_s),
        health_check_period_s=5,
        ray_actor_options=resources,
    )(body)


def _own_variables() -> dict[str, str]:
    """Those of the application's `runtime_env`, in which Serve has `build` run."""
    return dict(ray.get_runtime_context().runtime_env.env_vars()) if ray.is_initialized() else {}


def _resolved(args: Settings) -> Settings:
    """With the environment's overrides, and with a data folder that does not depend on where a replica starts."""
    for name in ("HOST", "PORT", "LOG_LEVEL", "LOG_FORMAT"):
        if VARIABLE_PREFIX + name in os.environ:
            raise ValueError(
                f"{VARIABLE_PREFIX}{name} acts through `pagemill serve`; `serve run` takes it from its own file"
            )
    settings = Settings.model_validate(with_environment(args.model_dump(exclude_unset=True), os.environ))
    return settings.model_copy(update={"data_dir": settings.data_dir.resolve()})
