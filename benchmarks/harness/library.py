"""Documents read in one process, without a server: the same functions in the same order, and no OCR."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.page_networks import PageNetworks
from configs.settings import Settings
from documents.document.assemble_document import assemble
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.media_types import sniff
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document, Opened, Page, PageWarning, Source


def read_all(paths: Sequence[Path], results: Path, settings: Settings | None = None) -> list[dict[str, Any]]:
    """Write the Markdown of each document beside its name; a row for each tells what became of it.

    Regions that need OCR stay empty: `num_unread` counts them.
    """
    sources = {path.name: source_of(path) for path in paths}
    return asyncio.run(_read_all(sources, results, settings or Settings()))


def source_of(path: Path) -> Source:
    """The file as the renderer takes it; of a PDF its own pages alone, as peers read it."""
    media_type = sniff(path.read_bytes()[:2048]) or ""
    return Source(path=str(path.resolve()), media_type=media_type, attachments="none")


async def _read_all(sources: Mapping[str, Source], results: Path, settings: Settings) -> list[dict[str, Any]]:
    networks = PageNetworks.of(settings)
    pool = RendererPool(1)
    rows: list[dict[str, Any]] = []
    try:
        for name, source in sources.items():
            begun = time.perf_counter()
            document, status = await read(source, name, pool, networks)
            (results / f"{name}.md").write_text(markdown(document), encoding="utf-8")
            regions = [region for page in document.pages for region in page.regions]
            unread = sum(region.text_source == "ocr" for region in regions)
            ocr_pages = [p.number for p in document.pages if any(r.text_source == "ocr" for r in p.regions)]
            seconds = round(time.perf_counter() - begun, 4)
            row = {"document": name, "status": status, "seconds": seconds}
            rows.append(row | {"num_unread": unread, "ocr_pages": ocr_pages})
    finally:
        await pool.close()
    return rows


async def read(source: Source, name: str, pool: RendererPool, networks: PageNetworks) -> tuple[Document, str]:
    """The document by its text layer, and its status as a job would tell it; pages that fail are left out."""
    pages: list[Page] = []
    try:
        opened = await pool.open(source)
    except IngestError as error:
        warning = PageWarning(code=error.code, message=error.message)
        return assemble(name, 1, Opened(num_pages=0, warnings=(warning,)), []), "failed"
    for number in range(1, opened.num_pages + 1):
        try:
            pages.append(await _page(source, number, pool, networks))
        except IngestError as error:
            warning = PageWarning(code="page_failed", message=error.message, page=number)
            opened = opened.model_copy(update={"warnings": (*opened.warnings, warning)})
    status = "succeeded" if len(pages) == opened.num_pages else "partial" if pages else "failed"
    return assemble(name, 1, opened, pages), status


async def _page(source: Source, number: int, pool: RendererPool, networks: PageNetworks) -> Page:
    inspected = await pool.inspect(source, number)
    inspection = inspected.inspection()
    blocks = networks.reader.blocks_of(inspected.features)
    regions = await networks.regions(pool, inspected, blocks)
    drafts = draft_regions(inspection, regions, blocks=blocks, crop_margin=networks.detector.crop_margin)
    return compose_page(inspection, drafts, {}, {})
