"""Writes what /file_parse returns: per file its Markdown, content list, middle JSON and pictures, as JSON or a zip."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel

from deployments.ingress.facades.mineru.content_list import content_list
from deployments.ingress.facades.mineru.middle_json import BACKEND, middle_json
from deployments.ingress.facades.mineru.parse_options import ParseOptions
from deployments.ingress.operations.conversions import Converted, error_of, file_name
from deployments.values.jobs import Job
from deployments.values.versions import versions
from documents.exports.markdown import markdown

UNSAFE_CHARACTERS = re.compile(r"[^\w.-]")  # MinerU's clients expect `_` in place of each of them
ERRORS_NAME = "errors"


class ParseError(BaseModel):
    """Why a page, or a whole file (no `page_idx`), is missing."""

    code: str
    message: str
    page_idx: int | None = None


class FileResult(BaseModel):
    """One file in the forms that were asked for; JSON as text, as MinerU has it, and pictures as data URIs."""

    md_content: str | None = None
    content_list: str | None = None
    middle_json: str | None = None
    images: dict[str, str] | None = None


class ParseAnswer(BaseModel):
    """MinerU's answer, the results by the names of their files without endings.

    `ignored_options` and `errors` are ours: what was sent and did nothing, and what is missing of which file.
    """

    backend: Literal["pipeline"] = BACKEND
    version: str
    results: dict[str, FileResult]
    errors: dict[str, list[ParseError]] | None = None
    ignored_options: list[str] | None = None


def named(all_converted: Sequence[Converted]) -> dict[str, Converted]:
    """Each document by the name of its file without its ending; with a number where another has the same name."""
    names: dict[str, Converted] = {}
    taken = {ERRORS_NAME}  # in small letters, and as file systems may write them
    for one in all_converted:
        stem = PurePosixPath(file_name(one.job)).stem.strip() or "document"
        candidates = chain([stem], (f"{stem}-{number}" for number in count(2)))
        name = next(candidate for candidate in candidates if safe_name(candidate).lower() not in taken)
        taken.add(safe_name(name).lower())
        names[name] = one
    return names


def safe_name(name: str) -> str:
    """What a file's folder and files are called in the zip, as MinerU's clients work it out for themselves."""
    plain = re.sub(r"\.{2,}", "", name)
    safe = UNSAFE_CHARACTERS.sub("_", plain)
    return f"_{safe[1:]}" if safe.startswith(".") else safe or "unnamed"


def json_answer(documents: Mapping[str, Converted], options: ParseOptions, ignored: Sequence[str]) -> bytes:
    """A ParseAnswer; a file without a result is only in `errors`."""
    results: dict[str, FileResult] = {}
    for name, one in documents.items():
        if one.document is None:
            continue
        pictures = {PurePosixPath(path).name: _data_uri(png) for path, png in one.pictures.items()}
        results[name] = FileResult(**_contents(one, options), images=pictures if options.return_images else None)
    answer = ParseAnswer(
        version=versions()["pagemill"],
        results=results,
        errors=_errors(documents) or None,
        ignored_options=list(ignored) or None,
    )
    return answer.model_dump_json(exclude_none=True).encode()


def zip_answer(documents: Mapping[str, Converted], options: ParseOptions) -> bytes:
    """A folder for each file, as MinerU's clients look for it; `errors.json` says what is missing."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, one in documents.items():
            if one.document is None:
                continue
            safe = safe_name(name)
            for kind, text in _contents(one, options).items():
                archive.writestr(f"{safe}/{safe}{ENDINGS[kind]}", text)
            for path, address in _addresses(one).items():
                archive.writestr(f"{safe}/{address}", one.pictures[path], zipfile.ZIP_STORED)
        if errors := _errors(documents):
            lost = {
                name: [error.model_dump(exclude_none=True) for error in missing] for name, missing in errors.items()
            }
            archive.writestr(f"{ERRORS_NAME}.json", json.dumps(lost, ensure_ascii=False))
    return file.getvalue()


def _contents(one: Converted, options: ParseOptions) -> dict[str, str]:
    assert one.document is not None
    addresses = _addresses(one)
    contents: dict[str, str] = {}
    if options.return_md:
        contents["md_content"] = markdown(one.document, addresses if options.return_images else None)
    if options.return_content_list:
        contents["content_list"] = _json(content_list(one.document, addresses))
    if options.return_middle_json:
        contents["middle_json"] = _json(middle_json(one.document, versions()["pagemill"]))
    return contents


def _addresses(one: Converted) -> dict[str, str]:
    """Where each picture lies beside the Markdown, by its name."""
    return {path: f"images/{PurePosixPath(path).name}" for path in one.pictures}


def _errors(documents: Mapping[str, Converted]) -> dict[str, list[ParseError]]:
    missing = {name: list(_missing(one.job)) for name, one in documents.items()}
    return {name: errors for name, errors in missing.items() if errors}


def _missing(job: Job) -> list[ParseError]:
    errors = [
        ParseError(code=page.error.code, message=page.error.message, page_idx=page.number - 1)
        for page in job.pages
        if page.error is not None
    ]
    if job.status in ("failed", "cancelled"):
        whole = error_of(job)
        errors.append(ParseError(code=whole.code, message=whole.message))
    return errors


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)


def _data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


ENDINGS = {"md_content": ".md", "content_list": "_content_list.json", "middle_json": "_middle.json"}
