"""Decides over a whole document what is furniture of its pages: running heads and feet, page numbers, stamps."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from documents.document.as_text import as_text
from documents.document.furniture_evidence import Evidence, evidence
from documents.document.text_styles import body_type_size, type_size
from documents.draft.page_draft import TAGGED, WATERMARK
from documents.region_values import Region, as_kind
from documents.values import Page

WEIGHTS = Evidence(  # of a logistic model, fitted by training.structure.furniture
    constant=0.86,
    network=0.73,
    same=4.20,
    alone=-0.74,
    outside=-1.10,
    number=2.16,
)
MIN_LOGIT = 1.1  # of furniture, a probability of 0.75: a doubt keeps the words
MIN_TITLE_RATIO = 1.06  # times the type of the text: what is no furniture and larger is a title


def with_furniture(pages: Sequence[Page]) -> list[Page]:
    """The pages, their furniture as the network and all pages together tell it; a doubt keeps the words."""
    regions = [list(page.regions) for page in pages]
    body = body_type_size(pages)
    for number, k, own in evidence(pages):
        region = regions[number][k]
        is_furniture = sum(map(mul, WEIGHTS, own)) > MIN_LOGIT
        if is_furniture and region.kind != "abandon" and not (region.origin == TAGGED and region.kind == "title"):
            regions[number][k] = as_kind(region, "abandon")
        elif not is_furniture and region.kind == "abandon" and region.origin not in (TAGGED, WATERMARK):
            regions[number][k] = _as_read(region, body)
    return [page.model_copy(update={"regions": tuple(own)}) for page, own in zip(pages, regions, strict=True)]


def _as_read(region: Region, body: float) -> Region:
    if body and type_size(region) > MIN_TITLE_RATIO * body:
        return as_kind(region, "title")
    return as_text(region)
