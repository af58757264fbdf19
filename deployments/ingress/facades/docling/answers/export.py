"""Writes a document as docling-serve does: its output formats, pictures, and a zip of several documents."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import zipfile
from collections.abc import Mapping, Sequence, Set
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Any

from deployments.ingress.facades.docling.answers.origin import origin_of
from deployments.ingress.facades.docling.response_models import ErrorItem, ExportDocument, ExportResult
from deployments.ingress.facades.docling.task import ResponseFormat
from deployments.ingress.facades.docling.task_status import category_of, status_of
from deployments.ingress.operations.conversions import Converted, error_of, file_name
from deployments.values.jobs import Job
from documents.exports.docling_json.docling_document import docling
from documents.exports.html import to_html
from documents.exports.markdown import markdown
from documents.exports.plain_text import plain_text
from documents.region_values import TitleRegion
from documents.values import Document

ENDINGS = {"md": ".md", "json": ".json", "html": ".html", "text": ".txt"}
ERRORS_FILE_STEM = "errors"
_UNSAFE_CHARACTERS = re.compile(r"[^\w.-]+")
_Item = dict[str, Any]


def exported(converted: Converted, form: ResponseFormat) -> ExportDocument:
    """The formats that were asked for."""
    export = ExportDocument(filename=file_name(converted.job))
    if converted.document is None:
        return export
    images = {name: _image(picture, form.scale) for name, picture in converted.pictures.items()}
    return export.model_copy(update=_contents(converted, form, images, {n: one["uri"] for n, one in images.items()}))


def _with_headings_from(document: Document, first_level: int) -> Document:
    """With headings of the first level written as those of `first_level`; docling keeps `#` for titles."""
    pages = tuple(
        page.model_copy(
            update={
                "regions": tuple(
                    region.model_copy(update={"level": (region.level or 1) + first_level - 1})
                    if isinstance(region, TitleRegion)
                    else region
                    for region in page.regions
                )
            }
        )
        for page in document.pages
    )
    return document.model_copy(update={"pages": pages})


def _contents(
    converted: Converted, form: ResponseFormat, images: Mapping[str, _Item], addresses: Mapping[str, str]
) -> dict[str, Any]:
    document, stem = converted.document, PurePosixPath(file_name(converted.job)).stem
    assert document is not None
    contents: dict[str, Any] = {}
    if "md" in form.formats:
        contents["md_content"] = markdown(
            _with_headings_from(document, form.heading_level), addresses, page_break=form.page_break
        )
    if "json" in form.formats:
        contents["json_content"] = docling(document, name=stem, pictures=images, origin=origin_of(converted))
    if "html" in form.formats:
        contents["html_content"] = to_html(document, addresses, title=stem)
    if "text" in form.formats:
        contents["text_content"] = plain_text(document)
    return contents


def errors_of(job: Job) -> list[ErrorItem]:
    """Every page that failed, and why the whole did."""
    errors = [
        ErrorItem(
            module_name=page.error.code,
            error_message=page.error.message,
            category=category_of(page.error),
            page_no=page.number,
        )
        for page in job.pages
        if page.error is not None
    ]
    if job.status in ("failed", "cancelled"):
        whole = error_of(job)
        errors.append(ErrorItem(module_name=whole.code, error_message=whole.message, category=category_of(whole)))
    elif job.status == "partial" and not errors:  # a region that could not be read
        lost = [warning for page in job.pages for warning in page.warnings if warning.code == "region_failed"]
        errors += [
            ErrorItem(module_name=warning.code, error_message=warning.message, page_no=warning.page) for warning in lost
        ]
    return errors


def result_item(converted: Converted, form: ResponseFormat) -> ExportResult:
    """A document beside its chunks; its content only where that was asked for."""
    content = ExportDocument(filename=file_name(converted.job))
    if form.whole:
        content = exported(converted, form.model_copy(update={"formats": ("json",)}))
    status = status_of([converted.job])
    assert status not in ("pending", "started")
    return ExportResult(content=content, status=status, errors=errors_of(converted.job))


def zipped(all_converted: Sequence[Converted], form: ResponseFormat) -> bytes:
    """Every document in every format, its pictures beside it; `errors.json` says what is missing."""
    file = io.BytesIO()
    stems = {ERRORS_FILE_STEM}  # in small letters: some file systems make no difference
    errors: dict[str, list[Any]] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in all_converted:
            stem = _unused_stem(one, stems)
            stems.add(stem.lower())
            if lost := errors_of(one.job):
                errors[stem] = [error.model_dump() for error in lost]
            if one.document is None:
                continue
            addresses = {name: f"{stem}_{name}" for name in one.pictures}
            images = {n: _image(picture, form.scale) | {"uri": addresses[n]} for n, picture in one.pictures.items()}
            for name, content in _contents(one, form, images, addresses).items():
                ending = ENDINGS[name.removesuffix("_content")]
                text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
                archive.writestr(stem + ending, text)
            for name, picture in one.pictures.items():
                archive.writestr(addresses[name], picture)
        if errors:
            archive.writestr(f"{ERRORS_FILE_STEM}.json", json.dumps(errors, ensure_ascii=False))
    return file.getvalue()


def _unused_stem(converted: Converted, stems: Set[str]) -> str:
    """What a document's files are called in the zip: as its own file, with a number where another is called so."""
    stem = _UNSAFE_CHARACTERS.sub("_", PurePosixPath(file_name(converted.job)).stem).strip("._")[:100] or "document"
    candidates = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(candidate for candidate in candidates if candidate.lower() not in stems)


def _image(picture: bytes, scale: float) -> _Item:
    """docling's ImageRef of a PNG, whose size stands in its first chunk."""
    uri = f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"
    size = dict(zip(("width", "height"), struct.unpack_from(">II", picture, 16), strict=True))
    return {"mimetype": "image/png", "dpi": round(72 * scale), "size": size, "uri": uri}
