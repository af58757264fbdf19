"""What a child says of a page that it inspects: its features, its turn, and whether it must stand straight."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_text import sheet_of_text
from PIL import Image

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.sandbox import child_process
from documents.segments.packed_features import packed_segments, unpack
from documents.values import Detection
from tests.documents.sandbox.spoken import message, printing


def test_a_child_says_whether_the_page_must_stand_straight(with_pool, data, source, tmp_path):
    """Guards against a judgement on the parent's event loop, which a page of 20,000 lines would hold."""
    Image.fromarray(sheet_of_text()).save(tmp_path / "scan.png")

    async def use(pool):
        async def judged(path, text_source):
            return (await pool.inspect(source(path), 1, text_source=text_source)).must_stand_straight

        printed = [await judged(data / "letter.pdf", text_source) for text_source in ("auto", "ocr", "text_layer")]
        return printed, [
            await judged(tmp_path / "scan.png", text_source) for text_source in ("auto", "ocr", "text_layer")
        ]

    assert with_pool(use) == ([False, True, False], [True, True, False])


def test_a_child_says_what_the_structure_network_reads_of_a_page(with_pool, data, source, tmp_path):
    """Guards against features of other lines than those that the rules get, whose numbers the blocks count."""
    Image.fromarray(sheet_of_text()).save(tmp_path / "scan.png")

    async def use(pool):
        return [await pool.inspect(source(path), 1) for path in (data / "letter.pdf", tmp_path / "scan.png")]

    letter, scan = with_pool(use)
    assert letter.features == packed_segments(letter.inspection())
    assert sum(len(band.kind) for band in unpack(letter.features)) >= len(letter.inspection().lines) > 0
    assert scan.features == b"", "nothing of a scan is known before OCR"


@pytest.mark.parametrize("size", [None, -1, 10**6, "7"])
def test_features_of_a_length_that_cannot_be_are_the_child_s_fault(monkeypatch, with_pool, data, source, size):
    """Guards against an inspection that begins in the middle of the features, and against errors that blame us."""
    facts = {"size": [612, 792], "num_feature_bytes": size}
    if size is None:
        del facts["num_feature_bytes"]

    async def start(limits):
        return await printing(message({"walls": []}), message({"ok": facts}, b"{}"))

    async def use(pool):
        monkeypatch.setattr(child_process, "spawn", start)
        await pool.inspect(source(data / "letter.pdf"), 1)

    with pytest.raises(PageFailed):
        with_pool(use, num_children=1)


def test_a_sideways_page_is_seen_as_its_reader_turns_it_and_boxes_come_back(with_pool, pdf_of):
    """Guards against a layout network that is shown sideways text, which it was never trained on."""

    def draw(page):
        page.insert_text((300, 700), "A line that is read from below", fontsize=12, rotate=90)

    source = pdf_of(draw)

    async def use(pool):
        inspected = await pool.inspect(source, 1)
        return inspected, await pool.picture(source, 1, dpi=72, angle=inspected.turn)

    inspected, picture = with_pool(use)
    assert inspected.turn == 270
    assert picture.shape[1::-1] == tuple(map(round, inspected.picture_size))
    ys, xs = np.nonzero(picture.min(axis=2) < 128)
    detection = Detection(kind="title", score=0.9, box=BoundingBox(x0=xs.min(), y0=ys.min(), x1=xs.max(), y1=ys.max()))
    (placed,) = inspected.on_page([detection])
    (printed,) = inspected.inspection().lines
    assert placed.box.intersection(printed.box) > 0.9 * placed.box.area
