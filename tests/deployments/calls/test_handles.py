"""`deployments.calls.handles`: what a handle declares is what its deployment takes."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from deployments.calls.handles import (
    EmbedderHandle,
    LayoutHandle,
    LmHandle,
    LmStreams,
    OcrHandle,
    OcrStreams,
    PipelineHandle,
    RendererHandle,
    SearchHandle,
)
from deployments.calls.remote_method import RemoteMethod, StreamingMethod
from deployments.embedder.deployment import Embedder
from deployments.jobs.deployment import Jobs
from deployments.jobs.handle import JobsHandle
from deployments.layout.deployment import Layout
from deployments.lm.deployment import Lm
from deployments.ocr.deployment import Ocr
from deployments.pipeline.deployment import Pipeline
from deployments.renderer.deployment import Renderer
from deployments.search.deployment import Search


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(one.name, one.kind, one.default) for one in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize(
    ("handle", "deployment"),
    [
        (RendererHandle, Renderer),
        (LayoutHandle, Layout),
        (OcrHandle, Ocr),
        (OcrStreams, Ocr),
        (EmbedderHandle, Embedder),
        (SearchHandle, Search),
        (LmHandle, Lm),
        (LmStreams, Lm),
        (PipelineHandle, Pipeline),
        (JobsHandle, Jobs),
    ],
    ids=lambda kind: kind.__name__,
)
def test_a_handle_declares_what_its_deployment_takes(handle: type, deployment: type) -> None:
    """Guards against a parameter that pyright lets a caller pass and no replica takes."""
    methods = {
        name: method for name, method in vars(handle).items() if isinstance(method, RemoteMethod | StreamingMethod)
    }
    assert methods
    for name, method in methods.items():
        offered = getattr(deployment, name)
        assert parameters(method.declared) == parameters(offered), name
        assert inspect.isasyncgenfunction(offered) == isinstance(method, StreamingMethod), name
