"""/v1/convert of docling-serve: files and sources to documents, in the response or as an asynchronous task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from deployments.ingress.errors import UnknownOption
from deployments.ingress.facades.docling.convert_options import (
    ChunkOptions,
    ConvertAndChunkOptions,
    ignored,
    of_form,
)
from deployments.ingress.facades.docling.json_sources import SourcesBody
from deployments.ingress.facades.docling.response_models import ConvertAnswer
from deployments.ingress.facades.docling.task import ResponseFormat
from deployments.ingress.facades.docling.task_execution import TaskExecution, TaskOptions
from deployments.ingress.facades.docling.task_status import TaskStatusResponse
from deployments.ingress.facades.docling.task_submission import TaskSubmission
from deployments.ingress.form_options import field_schemas, form_schema, options_of
from deployments.ingress.operations.services import Services

FORM_FIELDS = ("target_type",)


def router(services: Services, work: TaskExecution) -> APIRouter:
    """The routes under /v1/convert."""
    routes = APIRouter(prefix="/convert", tags=["docling"])

    requests = TaskSubmission(services, work)

    @routes.post("/file", openapi_extra=UPLOAD, response_model=ConvertAnswer, responses=ANSWER_RESPONSES)
    async def file(request: Request) -> Response:
        """Convert a file (field `files`) and wait for it; several, or `target_type=zip`, are answered as a zip. Nothing
        of it is kept; a client that goes away ends the work. Ignored options are listed in
        `ignored_options`."""
        return await (await requests.of_form(request, request_of_form)).result_answer()

    @routes.post("/file/async", openapi_extra=UPLOAD, response_model=TaskStatusResponse)
    async def file_async(request: Request) -> Response:
        """The same as a task: its status is at /v1/status/poll/{task_id}, its result at /v1/result/{task_id}."""
        return await (await requests.of_form(request, request_of_form)).status_answer()

    @routes.post("/source", openapi_extra=SOURCE_SCHEMA, response_model=ConvertAnswer, responses=ANSWER_RESPONSES)
    async def source(request: Request) -> Response:
        """Convert files that stand in the body as base64, or that lie at addresses, and wait for them."""
        return await (await requests.of_sources(request, request_of_body)).result_answer()

    @routes.post("/source/async", openapi_extra=SOURCE_SCHEMA, response_model=TaskStatusResponse)
    async def source_async(request: Request) -> Response:
        """The same as a task."""
        return await (await requests.of_sources(request, request_of_body)).status_answer()

    @routes.post("/source/batch", openapi_extra=SOURCE_SCHEMA, response_model=TaskStatusResponse)
    async def source_batch(request: Request) -> Response:
        """The same under the path of docling-serve's batches; their targets elsewhere are refused."""
        return await source_async(request)

    return routes


def request_of_form(form: Mapping[str, Sequence[str]]) -> TaskOptions:
    """What the fields of a form ask for. Raises UnknownOption."""
    fields = of_form(form)
    return task_options_of(fields, _target(fields, str(fields.pop("target_type", "inbody"))))


def request_of_body(body: SourcesBody) -> TaskOptions:
    """What JSON with sources asks for. Raises UnknownOption."""
    return task_options_of(body.options, _target(body.options, body.target.kind))


def _target(options: dict[str, Any], target: str) -> str:
    """Where the answer goes; the first version of docling-serve had an option for a zip."""
    as_file = str(options.pop("return_as_file", "")).lower() in ("1", "true", "on", "yes")
    return "zip" if as_file else target


def task_options_of(payload: Mapping[str, Any], target: str) -> TaskOptions:
    """What a request for conversion asks for. Raises UnknownOption."""
    options = options_of(ConvertAndChunkOptions, payload)
    chunking = options_of(ChunkOptions, options.chunking_options, prefix="chunking_options.")
    zipped = zips(target)
    form = ResponseFormat(
        formats=options.formats,
        zipped=zipped,
        pictures=options.with_pictures,
        scale=options.images_scale,
        heading_level=options.md_first_heading_level,
        page_break=options.md_page_break_placeholder,
        chunked=options.do_chunking and not zipped,
        max_tokens=chunking.max_tokens if options.do_chunking else None,
        merge=chunking.merge_peers,
        raw_text=chunking.include_raw_text,
    )
    names = ignored(ConvertAndChunkOptions, payload)
    if form.chunked:
        names += ignored(ChunkOptions, options.chunking_options, "chunking_options.")
    else:
        names += ["do_chunking"] * options.do_chunking + ["chunking_options"] * bool(options.chunking_options)
    if options.image_export_mode == "referenced" and not form.zipped:  # there is nothing to refer to: they are embedded
        names.append("image_export_mode=referenced")
    return TaskOptions(options, form, ignored=tuple(names))


def zips(target: str) -> bool:
    """Whether the answer is a zip. Raises UnknownOption for targets that lie elsewhere."""
    if target == "presigned_url":  # clients look at these words, and ask for inbody then
        raise UnknownOption("Presigned URL target requires artifact storage to be configured; use inbody or zip.")
    if target not in ("inbody", "zip"):
        raise UnknownOption(f"target {target[:64]!r} is not supported; use inbody or zip")
    return target == "zip"


ANSWER_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}},
    207: {
        "description": "several files, some of which failed: see errors.json",
        "content": {"application/zip": {}},
    },
}
TARGET = {"target_type": {"type": "string", "enum": ["inbody", "zip"], "default": "inbody"}}
UPLOAD = form_schema(ConvertAndChunkOptions, file="files", several_files=True, extra_fields=TARGET)


def json_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """What OpenAPI says of a call whose body has sources beside `properties`."""
    schema = SourcesBody.model_json_schema(ref_template="#/components/schemas/{model}")
    definitions = schema.pop("$defs")
    kinds = [definitions["FileSource"], definitions["HttpSource"] | {"required": ["kind", "url"]}]
    schema["properties"] = {
        "sources": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"oneOf": kinds}},
        "target": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["inbody", "zip"]}}},
        **properties,
    }
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


SOURCE_SCHEMA = json_schema({"options": {"type": "object", "properties": field_schemas(ConvertAndChunkOptions)}})
