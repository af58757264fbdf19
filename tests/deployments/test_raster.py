"""A page printed to a picture at 200 dpi says what the page said, in the same order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pymupdf
import pytest
from rapidfuzz import fuzz

from batching import Engine, EngineConfig
from batching.loading.models import load_got_ocr2
from deployments.ocr.region_reader import RegionReader
from documents.layout.doclayout.detector import Detector
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox import RendererPool
from documents.values import Page, Source

CHECKPOINTS = Path(__file__).resolve().parents[2] / "checkpoints"
LEFT = (
    "The harbour master keeps the log of all ships that wait for the evening tide and of those that left with it. " * 3
)
RIGHT = "Nobody on the quay knew when the ferry would come back from the islands, for the fog had not lifted yet. " * 3


async def read(source: Source) -> Page:
    pool, detector = RendererPool(1), Detector(CHECKPOINTS / "layout-compact")
    runner = load_got_ocr2(CHECKPOINTS / "ocr-compact")
    try:
        async with Engine(runner, EngineConfig()) as engine:
            reader = RegionReader(engine, runner.inputs.reading, "ocr-compact", max_tokens=256, window=16)
            inspection = (await pool.inspect(source, 1)).inspection()
            picture = await pool.picture(source, 1, long_side=detector.image_size)
            (detections,) = detector.detect([picture], [(inspection.width, inspection.height)])
            assert isinstance(detections, list)
            drafts = draft_regions(inspection, detections, crop_margin=detector.crop_margin)
            readings, sizes = {}, {}
            for draft in drafts:
                if draft.text_source == "ocr":
                    crop = await pool.picture(source, 1, dpi=144, box=draft.crop_box)
                    sizes[draft.index] = crop.shape[1], crop.shape[0]
                    readings[draft.index] = await reader.read(crop)
            return compose_page(inspection, drafts, readings, sizes)
    finally:
        await pool.close()


def texts_of(page: Page) -> list[str]:
    return [region.text for region in page.regions if region.text.strip()]


@pytest.mark.slow
def test_a_page_printed_to_a_picture_says_the_same_in_the_same_order(tmp_path: Path) -> None:
    """Guards against columns that only the text layer keeps apart, and scans read across them."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=612, height=792)
        page.insert_text((60, 90), "Two Columns on the Sea", fontsize=20, fontname="hebo")
        page.insert_textbox(pymupdf.Rect(60, 120, 290, 700), LEFT, fontsize=11, fontname="tiro")
        page.insert_textbox(pymupdf.Rect(322, 120, 552, 700), RIGHT, fontsize=11, fontname="tiro")
        pdf.save(tmp_path / "page.pdf")
        page.get_pixmap(dpi=200).save(tmp_path / "page.png")
    born = texts_of(asyncio.run(read(Source(path=str(tmp_path / "page.pdf"), media_type="application/pdf"))))
    scanned = texts_of(asyncio.run(read(Source(path=str(tmp_path / "page.png"), media_type="image/png"))))
    assert fuzz.ratio(" ".join(born), f"Two Columns on the Sea {LEFT}{RIGHT}".strip()) > 99
    assert fuzz.ratio(" ".join(scanned), " ".join(born)) > 96
