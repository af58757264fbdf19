"""PDF pages are inspected upright and cropped, or refused by name."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from documents.boxes import BoundingBox
from documents.errors import EncryptedDocument, NoPages, TooManyPages, UnreadableDocument
from documents.pdf import pdf_file
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits


def write_word(page, at=(100, 200), text="Harbour", **options):
    page.insert_text(at, text, fontsize=20, fontname="helv", **options)


def inspect(with_pool, source, number=1, **limits):
    async def use(pool):
        return (await pool.inspect(source, number)).inspection()

    return with_pool(use, **limits)


def open_it(with_pool, source, **limits):
    async def use(pool):
        return await pool.open(source)

    return with_pool(use, **limits)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_text_boxes_lie_on_the_ink_whatever_the_rotation(with_pool, pdf_of, rotation):
    """Guards against boxes of the unrotated page, which cut the wrong crops."""
    source = pdf_of(write_word, rotation=rotation)

    async def use(pool):
        return (await pool.inspect(source, 1)).inspection(), await pool.picture(source, 1, dpi=72)

    page, picture = with_pool(use)
    (line,) = page.lines
    assert (page.width, page.height) == ((612, 792) if rotation % 180 == 0 else (792, 612))
    assert page.rotation == rotation
    assert line.angle == rotation
    box = line.box
    outside = picture.copy()
    outside[int(box.y0) : int(box.y1) + 1, int(box.x0) : int(box.x1) + 1] = 255
    assert picture.min() < 100
    assert outside.min() > 200, "there is ink outside the box"


@pytest.mark.parametrize("rotation", [0, 90, 270])
def test_pictures_lie_where_they_are_seen(with_pool, pdf_of, rotation):
    """Guards against a turned scan whose layer seems to lie beside it."""
    picture = pymupdf.Pixmap(pymupdf.csGRAY, 2, 2, bytes([0, 255, 255, 0]), False)
    source = pdf_of(lambda page: page.insert_image((100, 200, 200, 250), pixmap=picture, keep_proportion=False))
    turned = pdf_of(
        lambda page: page.insert_image((100, 200, 200, 250), pixmap=picture, keep_proportion=False),
        name="turned.pdf",
        rotation=rotation,
    )
    upright, (box,) = inspect(with_pool, source).images[0], inspect(with_pool, turned).images
    expected = {0: (100, 200, 200, 250), 90: (542, 100, 592, 200), 270: (200, 412, 250, 512)}[rotation]
    assert (upright.x0, upright.y0, upright.x1, upright.y1) == pytest.approx((100, 200, 200, 250), abs=0.1)
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx(expected, abs=0.1)


def test_boxes_count_from_the_corner_of_the_crop(with_pool, pdf_of):
    """Guards against boxes of the sheet before it was cropped, which cut the wrong crops."""
    source = pdf_of(write_word, crop=(50, 100, 450, 500))
    page = inspect(with_pool, source)
    assert (page.width, page.height) == (400, 400)
    assert page.lines[0].box.x0 == pytest.approx(50, abs=2)
    assert 75 < page.lines[0].box.y0 < 100


def test_ink_is_found_where_text_and_lines_are_and_not_in_even_shade(with_pool, pdf_of):
    """Guards against OCR of shaded boxes that hold nothing."""

    def draw(page):
        write_word(page)
        page.draw_rect((300, 400, 500, 600), color=None, fill=(0.2, 0.2, 0.2))

    ink = inspect(with_pool, pdf_of(draw)).ink
    cells = ink.cells()
    assert cells[int(190 / ink.cell) : int(200 / ink.cell), int(105 / ink.cell) : int(170 / ink.cell)].any()
    assert not cells[int(420 / ink.cell) : int(580 / ink.cell), int(320 / ink.cell) : int(480 / ink.cell)].any()


def test_an_inspection_stays_small(with_pool, data, source):
    """Guards against megabytes of evidence a page on the way between processes."""
    page = inspect(with_pool, source(data / "columns.pdf"))
    assert len(page.model_dump_json(exclude_defaults=True)) < 40_000


def test_a_password_opens_and_its_absence_is_named(with_pool, pdf_of, source):
    """Guards against locked files that are told as damaged."""
    made = pdf_of(write_word, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="owner")
    for password in (None, "wrong"):
        with pytest.raises(EncryptedDocument):
            open_it(with_pool, source(made.path, password))
    assert open_it(with_pool, source(made.path, "secret")).num_pages == 1


def test_an_owner_password_alone_keeps_nobody_out(with_pool, pdf_of):
    """Guards against refusing files that every reader opens."""
    made = pdf_of(write_word, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner")
    assert open_it(with_pool, made).num_pages == 1


def test_too_many_pages_are_refused_on_opening(with_pool, pdf_of):
    """Guards against a job of ten thousand pages that is noticed when it is under way."""
    with pytest.raises(TooManyPages):
        open_it(with_pool, pdf_of(num_pages=4), max_pages=3)


def test_a_document_without_pages_is_named(with_pool, tmp_path, source):
    """Guards against a job of no pages that ends as a success."""
    path = tmp_path / "none.pdf"
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\n"
        b"endobj\ntrailer\n<< /Root 1 0 R /Size 3 >>\nstartxref\n0\n%%EOF\n"
    )
    with pytest.raises(NoPages):
        open_it(with_pool, source(path))


@pytest.mark.parametrize("junk", [b"%PDF-1.7\n" + bytes(range(256)) * 8, b"%PDF-1.4", b"<html>%PDF-1.4</html>"])
def test_what_only_begins_like_a_pdf_is_unreadable(with_pool, tmp_path, source, junk):
    """Guards against web pages opened as such: MuPDF would read them, and follow what they name."""
    path = tmp_path / "junk.pdf"
    path.write_bytes(junk)
    with pytest.raises((UnreadableDocument, NoPages)):
        open_it(with_pool, source(path))


def test_a_repaired_file_says_so(with_pool, pdf_of, source):
    """Guards against lost pages of a damaged file that nobody is told of."""
    made = pdf_of(write_word)
    path = Path(made.path)
    path.write_bytes(path.read_bytes().replace(b"startxref\n", b"startxref\n9"))
    assert [warning.code for warning in open_it(with_pool, made).warnings] == ["repaired"]


def test_outline_and_metadata_come_with_the_opening(with_pool, tmp_path, source):
    """Guards against levels of headings that are guessed although the file tells them."""
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.set_toc([[1, "One", 1], [2, "Two", 1]])
        pdf.set_metadata({"title": "A Book", "author": ""})
        pdf.save(tmp_path / "book.pdf")
    opened = open_it(with_pool, source(tmp_path / "book.pdf"))
    assert [(item.level, item.title, item.page) for item in opened.outline] == [(1, "One", 1), (2, "Two", 1)]
    assert opened.metadata["title"] == "A Book"
    assert "author" not in opened.metadata


@pytest.fixture
def scanned(pdf_of):
    """A page that is one picture."""
    dots = np.random.default_rng(7).integers(0, 256, (1650, 1275), np.uint8)

    def draw(page):
        file = io.BytesIO()
        Image.fromarray(dots).save(file, "png")
        page.insert_image(page.rect, stream=file.getvalue())

    return lambda **options: pdf_of(draw, **options)


def test_a_picture_does_not_depend_on_what_was_drawn_before(scanned):
    """Guards against crops that change with the calls that the same child served before: MuPDF keeps decoded images."""
    source, part = scanned(), BoundingBox(x0=60, y0=100, x1=400, y1=300)
    pymupdf.TOOLS.store_shrink(100)
    first = PdfFile(source, RenderLimits())
    alone = first.picture(1, None, 144.0, part, 0)
    first.close()
    later = PdfFile(source, RenderLimits())
    later.picture(1, None, 300.0, None, 0)
    assert np.array_equal(later.picture(1, None, 144.0, part, 0), alone)
    later.close()


def test_labels_of_pages_are_those_of_their_ranges_read_once(pdf_of, monkeypatch):
    """Guards against reading all ranges of the file again for every page: 30 s where there are a thousand of them."""
    source = pdf_of(num_pages=70)
    ranges = [
        {"startpage": 0, "style": "r", "prefix": "", "firstpagenum": 1},
        {"startpage": 12, "style": "D", "prefix": "A-", "firstpagenum": 7},
        {"startpage": 15, "style": "a", "prefix": "", "firstpagenum": 1},
        {"startpage": 45, "style": "R", "prefix": "p", "firstpagenum": 44},
        {"startpage": 50, "style": "A", "prefix": "", "firstpagenum": 27},
        {"startpage": 60, "prefix": "Plate", "firstpagenum": 1},
    ]
    with pymupdf.open(source.path) as pdf:
        pdf.set_page_labels(ranges)
        expected = tuple(page.get_label() for page in pdf)
        pdf.saveIncr()
    reads = []
    of_file = pymupdf.Document._get_page_labels
    monkeypatch.setattr(pymupdf.Document, "_get_page_labels", lambda pdf: reads.append(1) or of_file(pdf))
    file = PdfFile(source, RenderLimits())
    labels = file.opened().page_labels
    file.close()
    assert labels == expected
    assert labels[3] == "iv"
    assert labels[12] == "A-7"
    assert labels[41] == "aa"
    assert labels[69] == "Plate"
    assert len(reads) == 1


@pytest.fixture
def drawings(monkeypatch):
    """What was drawn: the zoom and whether it was the whole page."""
    drawn, drawings = pdf_file._drawn, []

    def noting(page, zoom, clip):
        drawings.append((zoom, clip is None))
        return drawn(page, zoom, clip)

    monkeypatch.setattr(pdf_file, "_drawn", noting)
    return drawings


@pytest.mark.parametrize("rotation", [0, 90])
def test_crops_of_a_scan_are_cut_from_one_drawing(rotation, scanned, drawings):
    """A dense page has a dozen crops, and each would decode its picture again; they are as large as drawn alone."""
    source = scanned(rotation=rotation)
    file = PdfFile(source, RenderLimits())
    whole = file.picture(1, None, 144.0, None, 0)
    for x0, y0 in ((10, 20), (33.3, 141.7), (-5, 400.2)):
        box = BoundingBox(x0=x0, y0=y0, x1=x0 + 300, y1=y0 + 99.4)
        crop = file.picture(1, None, 144.0, box, 0)
        top, left = max(0, int(2 * y0)), max(0, int(2 * x0))
        assert np.array_equal(crop, whole[top:][: crop.shape[0], left:][:, : crop.shape[1]])
        alone = PdfFile(source, RenderLimits())._page(1)
        clip = pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) & alone.rect
        assert crop.shape == pymupdf_size(alone, clip)
    assert drawings == [(2.0, True)]


def pymupdf_size(page, clip):
    """Of the part drawn alone."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(2, 2), clip=clip)
    return pixmap.height, pixmap.width, 3


def test_the_last_drawing_of_a_scan_is_kept_at_any_zoom(scanned, drawings):
    """After a fine picture, each coarser crop was a drawing of the whole page."""
    file, part = PdfFile(scanned(), RenderLimits()), BoundingBox(x0=60, y0=100, x1=400, y1=300)
    for dpi in (288.0, 144.0, 144.0, 144.0):
        file.picture(1, None, dpi, part, 0)
    assert drawings == [(4.0, True), (2.0, True)]


def test_a_part_of_a_scan_that_is_too_large_whole_is_drawn_alone(scanned, drawings):
    """What may not be drawn must not be drawn on the way to a crop."""
    file = PdfFile(scanned(), RenderLimits(max_pixels=1_000_000))
    file.picture(1, None, 250.0, BoundingBox(x0=60, y0=100, x1=100, y1=130), 0)
    assert [whole for _, whole in drawings] == [False]
