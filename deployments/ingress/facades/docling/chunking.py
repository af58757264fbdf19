"""/v1/chunk of docling-serve: files and sources to chunks, by the hybrid or hierarchical chunker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from deployments.ingress.errors import UnknownOption
from deployments.ingress.facades.docling.convert import json_schema, zips
from deployments.ingress.facades.docling.convert_options import ChunkOptions, ConvertOptions, ignored, of_form
from deployments.ingress.facades.docling.json_sources import SourcesBody
from deployments.ingress.facades.docling.response_models import ChunkAnswer
from deployments.ingress.facades.docling.task import ResponseFormat
from deployments.ingress.facades.docling.task_execution import TaskExecution, TaskOptions
from deployments.ingress.facades.docling.task_status import TaskStatusResponse
from deployments.ingress.facades.docling.task_submission import TaskSubmission
from deployments.ingress.form_options import field_schemas, form_schema, options_of
from deployments.ingress.operations.services import Services

Chunker = Literal["hybrid", "hierarchical"]
TASK_FIELDS = ("target_type", "include_converted_doc")


def router(services: Services, work: TaskExecution) -> APIRouter:
    """The routes under /v1/chunk."""
    routes = APIRouter(prefix="/v1/chunk", tags=["docling"])

    requests = TaskSubmission(services, work)

    @routes.post("/{chunker}/file", openapi_extra=UPLOAD, response_model=ChunkAnswer)
    async def file(request: Request, chunker: Chunker) -> Response:
        """Cut files into chunks and wait for them. `hybrid` merges small neighbours under one heading up to
        `chunking_max_tokens`, counted by the embedder's tokenizer; `hierarchical` gives one for each part."""
        return await (await requests.of_form(request, partial(request_of_form, chunker))).result_answer()

    @routes.post("/{chunker}/file/async", openapi_extra=UPLOAD, response_model=TaskStatusResponse)
    async def file_async(request: Request, chunker: Chunker) -> Response:
        """The same as a task: its status is at /v1/status/poll/{task_id}, its result at /v1/result/{task_id}."""
        return await (await requests.of_form(request, partial(request_of_form, chunker))).status_answer()

    @routes.post("/{chunker}/source", openapi_extra=SOURCE_SCHEMA, response_model=ChunkAnswer)
    async def source(request: Request, chunker: Chunker) -> Response:
        """The same for files that stand in the body as base64, or that lie at addresses."""
        return await (await requests.of_sources(request, partial(request_of_body, chunker))).result_answer()

    @routes.post("/{chunker}/source/async", openapi_extra=SOURCE_SCHEMA, response_model=TaskStatusResponse)
    async def source_async(request: Request, chunker: Chunker) -> Response:
        """The same as a task."""
        return await (await requests.of_sources(request, partial(request_of_body, chunker))).status_answer()

    return routes


def request_of_form(chunker: Chunker, form: Mapping[str, Sequence[str]]) -> TaskOptions:
    """What the fields of a form ask for. Raises UnknownOption."""
    fields = of_form(form)
    converting, chunking = of_form(form, "convert_"), of_form(form, "chunking_")
    rest = [name for name in fields if not name.startswith(("convert_", "chunking_")) and name not in TASK_FIELDS]
    _no_zip(str(fields.get("target_type", "inbody")))
    whole = str(fields.get("include_converted_doc", "")).lower() in ("1", "true", "on", "yes")
    return task_options_of(chunker, converting, chunking, whole=whole, rest=rest)


def request_of_body(chunker: Chunker, body: SourcesBody) -> TaskOptions:
    """What JSON with sources asks for. Raises UnknownOption."""
    _no_zip(body.target.kind)
    converting = body.convert_options or body.options
    return task_options_of(chunker, converting, body.chunking_options, whole=body.include_converted_doc)


def task_options_of(
    chunker: Chunker,
    converting: Mapping[str, Any],
    chunking: Mapping[str, Any],
    *,
    whole: bool,
    rest: list[str] | None = None,
) -> TaskOptions:
    """What a request for chunks asks for. Raises UnknownOption."""
    options = options_of(ConvertOptions, converting, prefix="convert_")
    how = options_of(ChunkOptions, chunking, prefix="chunking_")
    form = ResponseFormat(
        kind=chunker,
        pictures=whole and options.with_pictures,
        scale=options.images_scale,
        heading_level=options.md_first_heading_level,
        max_tokens=how.max_tokens if chunker == "hybrid" else None,
        merge=how.merge_peers,
        raw_text=how.include_raw_text,
        whole=whole,
    )
    names = (
        ignored(ConvertOptions, converting, "convert_") + ignored(ChunkOptions, chunking, "chunking_") + (rest or [])
    )
    return TaskOptions(options, form, ignored=tuple(name for name in names if name != "chunking_chunker"))


def _no_zip(target: str) -> None:
    if zips(target):
        raise UnknownOption("chunks are returned in the body; use target inbody")


DOCUMENT_FIELD = {"include_converted_doc": {"type": "boolean", "default": False}}
OPTION_FIELDS = field_schemas(ConvertOptions, "convert_") | field_schemas(ChunkOptions, "chunking_")
UPLOAD = form_schema(None, file="files", several_files=True, extra_fields=DOCUMENT_FIELD | OPTION_FIELDS)
SOURCE_SCHEMA = json_schema(
    {
        "convert_options": {"type": "object", "properties": field_schemas(ConvertOptions)},
        "chunking_options": {"type": "object", "properties": field_schemas(ChunkOptions)},
        **DOCUMENT_FIELD,
    }
)
