"""Which fields of MinerU's form have an effect here; the others are accepted and listed as ignored."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from deployments.values.jobs import Options

LAST_PAGE_ID = 99_999  # clients send it, or a larger or negative number, for "to the end"
TEXT_SOURCES = {"auto": "auto", "txt": "text_layer", "ocr": "ocr"}


class ParseOptions(BaseModel):
    """Frozen; unknown fields are left out, and `ignored_names` lists them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    return_md: bool = True
    return_content_list: bool = False
    return_middle_json: bool = False
    return_images: bool = False
    response_format_zip: bool = False
    parse_method: Literal["auto", "txt", "ocr"] = "auto"
    start_page_id: int = Field(0, ge=0, le=LAST_PAGE_ID, description="first page, counted from 0")
    end_page_id: int = Field(LAST_PAGE_ID, description="last page, counted from 0")

    @model_validator(mode="after")
    def _is_ascending(self) -> ParseOptions:
        if not self._to_the_end and self.end_page_id < self.start_page_id:
            raise ValueError("end_page_id must not be less than start_page_id")
        return self

    @property
    def _to_the_end(self) -> bool:
        return not 0 <= self.end_page_id < LAST_PAGE_ID

    def for_job(self, document_id: str) -> Options:
        """The options of a job. Its document is one of its own, which search does not know."""
        last = "" if self._to_the_end else self.end_page_id + 1
        return Options.model_validate(
            {
                "pages": None if self.start_page_id == 0 and self._to_the_end else f"{self.start_page_id + 1}-{last}",
                "text_source": TEXT_SOURCES[self.parse_method],
                "document_id": document_id,
                "index": False,
                "cancel_on_disconnect": True,
            }
        )
