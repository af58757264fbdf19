"""Which of docling-serve's options have an effect here; the others are accepted and listed as ignored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from deployments.ingress.form_options import MAX_IGNORED_REPORTED, MAX_NAME, options_of
from deployments.values.jobs import Options

OutputFormat = Literal["md", "json", "html", "text"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = ("md", "json", "html", "text")
LAST_PAGE = 999_999_999  # clients say "to the end" by the largest number they know
MAX_CHUNK_TOKENS = 100_000
MAX_PAGE_BREAK = 100  # characters; a task's id holds them


def _several(value: Any) -> Any:
    """A form says a list by repeating its field, or as JSON, or with commas."""
    if not isinstance(value, str):
        return value
    if value.strip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("not a list") from None
    return [part.strip() for part in value.split(",") if part.strip()]


def _joined(value: Any) -> Any:
    """A list of one that is itself written as a list."""
    return _several(value[0]) if isinstance(value, list | tuple) and len(value) == 1 else _several(value)  # pyright: ignore[reportUnknownArgumentType]


def _object(value: Any) -> Any:
    """A form says an object as JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError("not an object") from None


class DoclingOptions(BaseModel):
    """Frozen; unknown options are left out, and `ignored` lists them."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ConvertOptions(DoclingOptions):
    """Those of docling's conversion that act here."""

    to_formats: Annotated[tuple[str, ...], BeforeValidator(_joined)] = Field(("md",), max_length=20)
    page_range: Annotated[tuple[int, int] | None, BeforeValidator(_joined)] = Field(None, examples=[[1, 10]])
    do_ocr: bool = True
    force_ocr: bool = False
    do_formula_enrichment: bool = False
    document_timeout: float | None = Field(None, gt=0, allow_inf_nan=False)
    image_export_mode: Literal["embedded", "placeholder", "referenced"] = "embedded"
    include_images: bool = True
    md_first_heading_level: int = Field(2, ge=1, le=6)  # ours; docling itself writes 2
    md_page_break_placeholder: str | None = Field(None, max_length=MAX_PAGE_BREAK)
    images_scale: float = Field(2.0, gt=0, le=4)

    @model_validator(mode="after")
    def _can_be_done(self) -> ConvertOptions:
        if not self.formats:
            raise ValueError(f"to_formats: none of these is supported; known: {', '.join(OUTPUT_FORMATS)}")
        if self.page_range is not None and not 1 <= self.page_range[0] <= self.page_range[1]:
            raise ValueError("page_range must be the first and last page, starting at 1")
        return self

    @property
    def formats(self) -> tuple[OutputFormat, ...]:
        """Those that are asked for and can be written."""
        return tuple(name for name in OUTPUT_FORMATS if name in self.to_formats)

    @property
    def with_pictures(self) -> bool:
        """Whether figures are wanted as pictures and not only told."""
        return self.include_images and self.image_export_mode != "placeholder"

    def for_job(self, document_id: str) -> Options:
        """What the job is asked for. It is a document of its own, which search does not know."""
        pages = None
        if self.page_range is not None:
            first, last = self.page_range
            pages = f"{min(first, LAST_PAGE)}-{last if last < LAST_PAGE else ''}"
        return Options.model_validate(
            {
                "pages": pages,
                "text_source": "text_layer" if not self.do_ocr else "ocr" if self.force_ocr else "auto",
                "ocr_mode": "format" if self.do_formula_enrichment else "plain",
                "document_id": document_id,
                "deadline_s": self.document_timeout,
                "index": False,
                "cancel_on_disconnect": True,  # of a client that went before it knew the task
            }
        )


class ConvertAndChunkOptions(ConvertOptions):
    """Those of a conversion whose answer may hold the chunks, too."""

    do_chunking: bool = False
    chunking_options: Annotated[dict[str, Any], BeforeValidator(_object)] = Field({})  # as `ChunkOptions`


class ChunkOptions(DoclingOptions):
    """Those of docling's chunkers that act here."""

    max_tokens: int | None = Field(None, ge=16, le=MAX_CHUNK_TOKENS)  # of the hybrid one
    merge_peers: bool = True
    include_raw_text: bool = False


def ignored(kind: type[BaseModel], payload: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The names of what is given and does nothing here; of `to_formats` the formats that are not written."""
    names = [f"{prefix}{name}"[:MAX_NAME] for name in payload if name not in kind.model_fields]
    if issubclass(kind, ConvertOptions) and "to_formats" in payload:
        options = options_of(ConvertOptions, {"to_formats": payload["to_formats"]})
        names += [f"{prefix}to_formats={name}"[:MAX_NAME] for name in options.to_formats if name not in OUTPUT_FORMATS]
    return sorted(names)[:MAX_IGNORED_REPORTED]


def of_form(fields: Mapping[str, Sequence[str]], prefix: str = "") -> dict[str, Any]:
    """The fields of a form whose names begin with `prefix`, without it; a repeated one is a list."""
    named = {name.removeprefix(prefix): values for name, values in fields.items() if name.startswith(prefix)}
    return {name: list(values) if len(values) > 1 else values[0] for name, values in named.items()}
