"""What the routes need of the graph."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ray.serve.handle import DeploymentHandle

from configs import Settings
from deployments.blobs import BlobStore
from deployments.ingress.answers import Answers
from deployments.ingress.callers import KeyRing
from deployments.ingress.readiness import Statuses, deployment_statuses
from deployments.ingress.turns import Turns
from deployments.ingress.uploads import Door

LEAST_AT_ONCE = 32  # pages of all calls


@dataclass(frozen=True, slots=True)
class Services:
    """Handles, the blob store, the door of uploads and the keys."""

    settings: Settings
    jobs: DeploymentHandle
    pipeline: DeploymentHandle
    renderer: DeploymentHandle
    layout: DeploymentHandle
    ocr: DeploymentHandle
    search: DeploymentHandle
    blobs: BlobStore
    door: Door
    keys: KeyRing | None = None  # unset: anyone may do anything
    lm: DeploymentHandle | None = None  # unset: no language model of our own
    answers: Answers | None = None  # unset: nobody writes answers
    running: Callable[[], Awaitable[Statuses]] = deployment_statuses  # which deployments are
    turns: Turns = field(default_factory=lambda: Turns(LEAST_AT_ONCE))  # of pages that are looked at without a job
    farewells: set[asyncio.Task[None]] = field(default_factory=set)  # what is still done for clients that have gone
