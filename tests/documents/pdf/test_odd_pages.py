"""Pages whose objects are odd: what cannot be read fails, what readers show is shown."""

from __future__ import annotations

import pymupdf
import pytest

from documents.errors import PageFailed


def test_a_page_whose_own_object_cannot_be_read_has_failed(with_pool, source, tmp_path):
    """Guards against a page that seems blank, and succeeds, because the parser gave its object up."""
    body = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Deep %s%s>>" % (b"[" * 200_000, b"]" * 200_000)
    objects = (b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", body)
    written, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(written)
    written += b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start
    (tmp_path / "deep.pdf").write_bytes(bytes(written))

    async def use(pool):
        with pytest.raises(PageFailed):
            await pool.inspect(source(tmp_path / "deep.pdf"), 1)

    with_pool(use)


def test_a_crop_box_outside_of_the_page_crops_nothing(with_pool, source, tmp_path):
    """Guards against text that is taken for hidden because the file's boxes contradict each other."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=400, height=400)
    page.insert_text((72, 72), "The harbour master")
    pdf.xref_set_key(page.xref, "CropBox", "[5000 5000 6000 6000]")
    pdf.save(tmp_path / "crop.pdf")

    async def use(pool):
        return (await pool.inspect(source(tmp_path / "crop.pdf"), 1)).inspection()

    result = with_pool(use)
    assert (result.width, result.height) == (400, 400)
    assert [(line.text, line.hidden) for line in result.lines] == [("The harbour master", None)]


def test_type_too_small_for_the_picture_of_a_huge_page_is_judged_by_its_colour(with_pool, source, tmp_path):
    """Guards against a plan of some kilometres whose text is all taken for hidden, as its picture shows no ink."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=400_000, height=400_000)
    page.insert_text((72, 72), "The harbour master")
    page.insert_text((72, 172), "Not for your eyes", color=(1, 1, 1))
    pdf.save(tmp_path / "plan.pdf")

    async def use(pool):
        return (await pool.inspect(source(tmp_path / "plan.pdf"), 1)).inspection()

    hidden = {line.text: line.hidden for line in with_pool(use).lines}
    assert hidden == {"The harbour master": None, "Not for your eyes": "no_ink"}
