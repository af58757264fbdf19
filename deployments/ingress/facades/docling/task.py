"""A docling task and its id: the id encodes the jobs and the output form, so that the server stores nothing else."""

from __future__ import annotations

import base64
import binascii
import re
from http import HTTPStatus
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deployments.ingress.facades.docling.convert_options import MAX_CHUNK_TOKENS, MAX_PAGE_BREAK, OutputFormat
from deployments.ingress.uploads import MAX_FILES
from deployments.values.shards import JOB_ID
from documents.errors import Refusal

MAX_ID = 2000  # characters
_TASK_ID = re.compile(rf"((?:{JOB_ID})(?:\.{JOB_ID})*)~([A-Za-z0-9_-]+)")


class NoSuchTask(Refusal):
    """No such task, or not one of the caller's; its clients look at these words."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("Task not found.")


class NoResult(Refusal):
    """A task has no result, or not yet; its clients look at the first words, and ask the task's status why."""

    status = HTTPStatus.NOT_FOUND
    code = "no_result"

    def __init__(self, why: str = "Please wait for a completion status.") -> None:
        super().__init__(f"Task result not found. {why}")


class ResponseFormat(BaseModel):
    """How the jobs of a task are answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["convert", "hybrid", "hierarchical"] = "convert"
    formats: Annotated[tuple[OutputFormat, ...], Field(max_length=4)] = ()
    zipped: bool = False
    pictures: bool = True
    scale: Annotated[float, Field(gt=0, le=4)] = 2.0
    max_tokens: Annotated[int | None, Field(ge=16, le=MAX_CHUNK_TOKENS)] = None
    merge: bool = True
    raw_text: bool = False
    heading_level: Annotated[int, Field(ge=1, le=6)] = 2  # of Markdown's first
    page_break: Annotated[str | None, Field(max_length=MAX_PAGE_BREAK)] = None  # between pages of Markdown
    chunked: bool = False  # convert: with the chunks beside the document
    whole: bool = False  # chunks: with the document beside them


class Task(BaseModel):
    """One or more jobs that were submitted together."""

    model_config = ConfigDict(frozen=True)

    job_ids: tuple[str, ...]
    form: ResponseFormat

    @property
    def id(self) -> str:
        """Characters that stand in a path as they are."""
        payload = self.form.model_dump_json(exclude_defaults=True).encode()
        return f"{'.'.join(self.job_ids)}~{base64.urlsafe_b64encode(payload).decode().rstrip('=')}"

    @classmethod
    def of(cls, task_id: str) -> Task:
        """The task of an id that `id` gave. Raises NoSuchTask for any other."""
        match = _TASK_ID.fullmatch(task_id) if len(task_id) <= MAX_ID else None
        if match is None:
            raise NoSuchTask
        try:
            payload = base64.urlsafe_b64decode(match[2] + "=" * (-len(match[2]) % 4))
            form = ResponseFormat.model_validate_json(payload)
        except (ValidationError, binascii.Error):
            raise NoSuchTask from None
        job_ids = tuple(match[1].split("."))
        if len(job_ids) > MAX_FILES:
            raise NoSuchTask
        return cls(job_ids=job_ids, form=form)
