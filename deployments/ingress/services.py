"""What the routes need of the graph."""

from __future__ import annotations

from dataclasses import dataclass

from ray.serve.handle import DeploymentHandle

from configs import Settings
from deployments.blobs import BlobStore
from deployments.ingress.uploads import Door

NAMESPACE = "default"  # keys with a namespace each come with authentication


@dataclass(frozen=True, slots=True)
class Services:
    """Handles, the blob store and the door of uploads."""

    settings: Settings
    jobs: DeploymentHandle
    pipeline: DeploymentHandle
    renderer: DeploymentHandle
    layout: DeploymentHandle
    ocr: DeploymentHandle
    search: DeploymentHandle
    blobs: BlobStore
    door: Door
