"""Decides over a whole document what is furniture of its pages: running heads and feet, page numbers, stamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul

from documents.document.as_text import as_text
from documents.document.document_rule import DocumentRule
from documents.document.furniture_evidence import Evidence, EvidenceLimits, evidence
from documents.document.text_styles import body_type_size, type_size
from documents.draft.page_draft import TAG_ORIGIN, WATERMARK_ORIGIN
from documents.region_values import Region, as_kind
from documents.values import Page

WEIGHTS = Evidence(  # fitted by training.structure.furniture
    constant=0.86,
    network=0.73,
    same=4.20,
    alone=-0.74,
    outside=-1.10,
    number=2.16,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnitureLimits:
    """How much speaks for furniture: a logistic model, and from where on it is believed."""

    weights: Evidence = WEIGHTS
    min_logit: float = 1.1  # of furniture, a probability of 0.75: a doubt keeps the words
    min_title_ratio: float = 1.06  # times the type of the text: what is no furniture and larger is a title
    evidence: EvidenceLimits = field(default_factory=EvidenceLimits)


def with_furniture(pages: Sequence[Page], limits: FurnitureLimits = FurnitureLimits()) -> list[Page]:
    """The pages, their furniture as the network and all pages together tell it; a doubt keeps the words."""
    regions = [list(page.regions) for page in pages]
    body = body_type_size(pages)
    for number, k, own in evidence(pages, limits.evidence):
        region = regions[number][k]
        is_furniture = sum(map(mul, limits.weights, own)) > limits.min_logit
        if is_furniture and region.kind != "abandon" and not (region.origin == TAG_ORIGIN and region.kind == "title"):
            regions[number][k] = as_kind(region, "abandon")
        elif not is_furniture and region.kind == "abandon" and region.origin not in (TAG_ORIGIN, WATERMARK_ORIGIN):
            regions[number][k] = _as_read(region, limits.min_title_ratio * body)
    return [page.model_copy(update={"regions": tuple(own)}) for page, own in zip(pages, regions, strict=True)]


def _as_read(region: Region, max_text_size: float) -> Region:
    if max_text_size and type_size(region) > max_text_size:
        return as_kind(region, "title")
    return as_text(region)


FURNITURE = DocumentRule(
    name="furniture",
    purpose="A running head, a page number or a stamp is one by its page, its place and the pages around.",
    step=with_furniture,
    thresholds=FurnitureLimits(),
)
