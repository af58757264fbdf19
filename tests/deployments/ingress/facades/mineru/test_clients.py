"""RAGFlow's and Open WebUI's own sources, unchanged, against the real routes: what they read and where they highlight.

They are not in this repository: PAGEMILL_MINERU_CLIENTS names a folder that holds RAGFlow's `mineru_parser.py` and Open
WebUI's `loaders/mineru.py`, wherever in it. RAGFlow's needs pdfplumber, too.
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import docx
import numpy as np
import pymupdf
import pytest
from PIL import Image

from configs.api_keys import KeyEntry, new_key
from deployments.ingress.operations.callers import KeyRing
from tests.serve.files import pdf, png
from tests.web.house import house

CLIENTS = "PAGEMILL_MINERU_CLIENTS"
pytestmark = pytest.mark.skipif(CLIENTS not in os.environ, reason=f"{CLIENTS} names no folder of the clients' sources")
KEY, KEY_HASH = new_key()
PARAGRAPH = "The harbour master keeps the log of all ships that wait for the tide, and lamps burn until morning. " * 6
TEXT_PLACE = (100, 150, 400, 400)  # of the paragraph on the page as a person sees it
CROP = (60, 80, 520, 700)
VIEWS = tuple(itertools.product((None, CROP), (0, 90, 180, 270)))
ALL_PAGES = 100_000  # RAGFlow's own name for "to the end"
NO_PROXIES = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


@pytest.fixture(scope="module")
def blocking_calls_fail() -> None:
    """The server of these tests runs in a thread of its own, with everything that blocks in others."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """With a key as the password, which is the only place that these clients have for one."""
    entry = KeyEntry(name="rag", sha256=KEY_HASH, roles=frozenset({"ingest"}))
    with pytest.MonkeyPatch.context() as patch, house(tmp_path_factory.mktemp("data"), KeyRing([entry])) as served:
        for name, value in NO_PROXIES.items():
            patch.setenv(name, value)
        served.let_pages(1000)
        yield served.url.replace("http://", f"http://rag:{KEY}@")


def loaded(pattern: str, stubs: dict[str, dict[str, Any]]) -> Iterator[ModuleType]:
    """A client's module, over what it imports and these tests do not have."""
    source = next(iter(sorted(Path(os.environ[CLIENTS]).rglob(pattern))), None)
    if source is None:
        pytest.skip(f"{pattern} is not in {os.environ[CLIENTS]}")
    with pytest.MonkeyPatch.context() as patch:
        for name, attributes in stubs.items():
            module = ModuleType(name)
            vars(module).update(attributes)
            patch.setitem(sys.modules, name, module)
        spec = importlib.util.spec_from_file_location(f"client_{source.stem}", source)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        patch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def ragflow() -> Iterator[ModuleType]:
    pytest.importorskip("pdfplumber", reason="RAGFlow draws pages with pdfplumber, which is not installed here")
    yield from loaded(
        "mineru_parser.py",
        {
            **{name: {} for name in ("deepdoc", "deepdoc.parser", "common")},
            "deepdoc.parser.pdf_parser": {"RAGFlowPdfParser": object},
            "deepdoc.parser.utils": {"extract_pdf_outlines": lambda _: []},
            "common.constants": {"MAXIMUM_PAGE_NUMBER": ALL_PAGES},
        },
    )


@pytest.fixture(scope="module")
def open_webui() -> Iterator[ModuleType]:
    yield from loaded(
        "loaders/mineru.py", {"langchain_core": {}, "langchain_core.documents": {"Document": SimpleNamespace}}
    )


def turned(views: tuple[tuple[tuple[int, ...] | None, int], ...] = VIEWS) -> bytes:
    """A page per view with the same paragraph, which a person reads level on each; cropped and turned by the file."""
    document = pymupdf.open()
    for crop, rotation in views:
        page = document.new_page(width=595, height=842)
        page.set_rotation(rotation)
        place = pymupdf.Rect(TEXT_PLACE) * page.derotation_matrix
        assert page.insert_textbox(place, PARAGRAPH, fontsize=12, rotate=rotation) > 0
        if crop is not None:
            page.set_cropbox(pymupdf.Rect(crop))
    return document.tobytes()


def places(parser: Any, sections: list[tuple[str, str]]) -> list[tuple[int, tuple[float, float, float, float]]]:
    """Page and box of all highlights, in pixels of the pages as RAGFlow draws them."""
    return [
        (page, (left, top, right, bottom))
        for _, tag in sections
        for pages, left, right, top, bottom in parser.extract_positions(tag)
        for page in pages
    ]


def ink(parser: Any, page: int) -> tuple[float, float, float, float]:
    """Where the words are in the picture that RAGFlow draws of a page."""
    rows, columns = np.nonzero(np.asarray(parser.page_images[page].convert("L")) < 128)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Intersection over union."""
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return shared / (sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)) - shared)


def test_ragflow_finds_the_server(ragflow: ModuleType, url: str):
    assert ragflow.MinerUParser(mineru_api=url).check_installation() == (True, "")


def test_ragflow_highlights_the_words_on_turned_and_cropped_pages(ragflow: ModuleType, url: str):
    """Guards against boxes of the page as the file stores it: RAGFlow scales them to the page as it is drawn."""
    parser = ragflow.MinerUParser(mineru_api=url)
    sections, _ = parser.parse_pdf("Views (1) of it.pdf", turned())
    highlights = places(parser, sections)
    assert [page for page, _ in highlights] == list(range(len(VIEWS)))
    for page, box in highlights:
        assert overlap(box, ink(parser, page)) >= 0.95, VIEWS[page]


def test_ragflow_highlights_a_range_of_pages_on_the_pages_of_the_file(ragflow: ModuleType, url: str):
    """It sends ranges of a long file, and looks `page_idx` up among all its pages."""
    parser = ragflow.MinerUParser(mineru_api=url)
    sections, _ = parser.parse_pdf("a.pdf", turned(), page_from=1, page_to=4)
    highlights = places(parser, sections)
    assert [page for page, _ in highlights] == [1, 2, 3]
    assert all(overlap(box, ink(parser, page)) >= 0.95 for page, box in highlights)


def test_ragflow_cuts_out_what_it_cites(ragflow: ModuleType, url: str):
    parser = ragflow.MinerUParser(mineru_api=url)
    sections, _ = parser.parse_pdf("a.pdf", turned(VIEWS[:1]))
    picture, positions = parser.crop("".join(tag for _, tag in sections), need_position=True)
    assert np.asarray(picture.convert("L")).min() < 128
    assert [page for page, *_ in positions] == [0]


def with_tables() -> bytes:
    """A ruled table of two pages whose headings are repeated, and two more pages with an equal small table each."""
    document = pymupdf.open()
    headings = ("Harbour", "Ships", "Tide")
    rows = [(f"Port {k}", str(100 + k), f"{k}.5 m") for k in range(30)]
    small = [("Pier", "Open"), ("North", "all day")]
    for part, top in (([headings, *rows[:15]], 400), ([headings, *rows[15:]], 72), (small, 200), (small, 300)):
        page = document.new_page(width=595, height=842)
        page.insert_textbox(pymupdf.Rect(72, 600 if top < 400 else 72, 500, 780 if top < 400 else 300), PARAGRAPH)
        for k, row in enumerate(part):
            for column, text in enumerate(row):
                cell = pymupdf.Rect(0, 0, 150, 22) + (72 + 150 * column, top + 22 * k) * 2
                page.draw_rect(cell, width=0.8)
                page.insert_text((cell.x0 + 6, cell.y1 - 7), text, fontsize=10)
    return document.tobytes()


def test_ragflow_highlights_both_parts_of_a_table_and_no_other_table(ragflow: ModuleType, url: str):
    """It looks for further parts by their words, and would take equal tables for them."""
    parser = ragflow.MinerUParser(mineru_api=url)
    _, tables = parser.parse_pdf("tables.pdf", with_tables(), parse_method="naive")
    assert [[(page, top, bottom) for page, _, _, top, bottom in positions] for _, positions in tables] == [
        [
            (0, pytest.approx(400, abs=1), pytest.approx(752, abs=1)),
            (1, pytest.approx(72, abs=1), pytest.approx(424, abs=1)),
        ],
        [(2, pytest.approx(200, abs=1), pytest.approx(244, abs=1))],
        [(3, pytest.approx(300, abs=1), pytest.approx(344, abs=1))],
    ]
    assert tables[0][0][1].count("Harbour") == 1
    assert all(f"Port {k}" in tables[0][0][1] for k in range(30))


def test_ragflow_opens_the_pictures_of_figures(ragflow: ModuleType, url: str):
    """It leaves out an image whose file it cannot open."""
    file, letter = io.BytesIO(), docx.Document()
    letter.add_picture(io.BytesIO(png()))
    letter.save(file)
    _, tables = ragflow.MinerUParser(mineru_api=url).parse_pdf("pier.pdf", file.getvalue(), parse_method="naive")
    (((picture, _), _),) = tables
    with Image.open(io.BytesIO(png())) as drawn:
        assert picture.size == drawn.size


def test_ragflow_shows_why_a_file_was_refused(ragflow: ModuleType, url: str):
    parser = ragflow.MinerUParser(mineru_api=url)
    with pytest.raises(RuntimeError, match="422"):
        parser.parse_pdf("secret.pdf", pdf(password="secret"))
    with pytest.raises(RuntimeError, match="401"):
        ragflow.MinerUParser(mineru_api=url.replace(KEY, "wrong")).parse_pdf("a.pdf", pdf())


def test_open_webui_reads_the_markdown(open_webui: ModuleType, url: str, tmp_path: Path):
    """Its loader first asks for MinerU 4, which this server is not."""
    file = tmp_path / "Tide tables.pdf"
    file.write_bytes(pdf(2))
    params = {"enable_ocr": False, "language": "en", "model_version": "pipeline", "end_page_id": 0}
    (document,) = open_webui.MinerULoader(str(file), api_url=url, params=params).load()
    assert "harbour master" in document.page_content
    assert document.page_content.count("harbour master") == 1
    assert (document.metadata["source"], document.metadata["backend"]) == ("Tide tables.pdf", "pipeline")


def test_open_webui_shows_why_a_file_was_refused(open_webui: ModuleType, url: str, tmp_path: Path):
    file = tmp_path / "secret.pdf"
    file.write_bytes(pdf(password="secret"))
    with pytest.raises(Exception, match="password"):
        open_webui.MinerULoader(str(file), api_url=url).load()
