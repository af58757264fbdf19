"""An Office file's text comes whole whatever becomes of its printed boxes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from deployments.renderer import office_printing
from deployments.renderer.office_printing import PrintedBoxCache
from documents.errors import PageFailed
from documents.media_types import DOCX
from documents.printing.printer import Printer
from documents.sandbox import RendererPool
from documents.values import Page, Source
from tests.documents.office.drawn import docx, paragraph, written


class ScriptedPrinter(Printer):
    """Counts its calls; each does what the test says."""

    def __init__(self, act: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self.num_calls = 0
        self._act = act

    async def print(self, path: Path, media_type: str, pdf: Path) -> None:
        self.num_calls += 1
        await self._act()


async def pages_of(folder: Path, printer: Printer, wait_s: float, num_pages: int = 1) -> list[Page]:
    """The page of a small file, placed as often as it has pages."""
    source = Source(path=str(written(folder, "a.docx", docx(paragraph("words")))), media_type=DOCX)
    pool = RendererPool(1)
    try:
        page = await pool.authored(source, 1)
        assert page is not None
        placing = PrintedBoxCache(pool, printer)
        return [await placing.placed(source, page, wait_s) for _ in range(num_pages)]
    finally:
        await pool.close()


def reasons(pages: list[Page]) -> list[str]:
    """Why pages have no boxes; their text is whole."""
    assert [region.text for page in pages for region in page.regions] == ["words"] * len(pages)
    assert {warning.code for page in pages for warning in page.warnings} == {"not_printed"}
    return [warning.message for page in pages for warning in page.warnings]


@pytest.mark.anyio
async def test_a_page_waits_for_its_boxes_no_longer_than_it_may(tmp_path: Path) -> None:
    """Guards against pages that fail by their deadline while other files are printed."""

    async def hang() -> None:
        await asyncio.Event().wait()

    (reason,) = reasons(await pages_of(tmp_path, ScriptedPrinter(hang), 0.01))
    assert "within 0.01 s" in reason


@pytest.mark.anyio
async def test_a_full_disk_costs_boxes_and_not_the_page(tmp_path: Path) -> None:
    """Guards against an error of the system that fails every page of the file."""

    async def fail() -> None:
        raise OSError(28, "No space left on device")

    (reason,) = reasons(await pages_of(tmp_path, ScriptedPrinter(fail), 60))
    assert "OSError" in reason


@pytest.mark.anyio
async def test_a_failure_is_remembered_for_the_other_pages_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a retry that never prints, and against a broken file that is printed once per page."""

    async def fail() -> None:
        raise PageFailed("broken")

    printer = ScriptedPrinter(fail)
    reasons(await pages_of(tmp_path, printer, 60, num_pages=3))
    assert printer.num_calls == 1
    monkeypatch.setattr(office_printing, "FAILURE_CACHE_S", 0)
    source = Source(path="a.docx", media_type=DOCX)
    pool = RendererPool(1)
    try:
        placing = PrintedBoxCache(pool, printer)
        for num_calls in (2, 3):
            await placing.placed(source, Page(number=1, size=(0, 0)), 60)
            for _ in range(3):  # the loop's turns: the call ends, its end is known, it is forgotten
                await asyncio.sleep(0)
            assert printer.num_calls == num_calls
    finally:
        await pool.close()
