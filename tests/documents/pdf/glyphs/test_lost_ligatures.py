"""Ligatures that a font's table calls unknown are read by their shape, and left unknown where that is not certain."""

from __future__ import annotations

import re
import unicodedata

import pymupdf
import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

LINES = ("The ﬁrst ﬁne of the ﬁve is ﬁlled", "A ﬂag may ﬂee or ﬂy, ﬁnal ﬂoor")
LETTERS = "of life and full stops if flip"


def unknown(codes):
    """A line of a font's table that maps codes to ligatures, with what says that they are unknown."""
    first, last = (int(codes[k], 16) for k in (1, 2))
    return f"<{codes[1]}><{codes[2]}>[{'<fffd>' * (last - first + 1)}]"


def lines_of(lines, tmp_path, *, font="tiro", rotation=0, size=11):
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)
    for k, text in enumerate(lines):
        writer.append((72, 100 + 2 * size * k), text, font=pymupdf.Font(font), fontsize=size)
    writer.write_text(page)
    page.set_rotation(rotation)
    document = pymupdf.open("pdf", document.tobytes())
    for xref in range(1, document.xref_length()):
        kind, table = document.xref_get_key(xref, "ToUnicode")
        if kind == "xref":
            number = int(table.split()[0])
            mapped = document.xref_stream(number).decode("latin1")
            mapped = re.sub(r"(?i)<(\w{4})> ?<(\w{4})> ?<fb0[0-4]>", unknown, mapped)
            document.update_stream(number, re.sub(r"(?i)<fb0[0-4]>", "<fffd>", mapped).encode("latin1"))
    document.save(tmp_path / "a.pdf")
    inspection = PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits()).inspect(1)
    return [unicodedata.normalize("NFKC", line.text) for line in inspection.lines]


@pytest.mark.parametrize("rotation", [0, 90, 270])
@pytest.mark.parametrize("font", ["tiro", "tibo", "helv", "hebo"])
def test_ligatures_are_read_by_the_shape_of_their_letters(font, rotation, tmp_path):
    """The words came out as "\ufffdrst" and "\ufffdag"."""
    expected = [unicodedata.normalize("NFKC", text) for text in (*LINES, LETTERS)]
    assert lines_of((*LINES, LETTERS), tmp_path, font=font, rotation=rotation) == expected


@pytest.mark.parametrize("size", [7, 30])
def test_small_and_large_type_is_read(size, tmp_path):
    expected = [unicodedata.normalize("NFKC", text) for text in (LINES[0], LETTERS)]
    assert lines_of((LINES[0], LETTERS), tmp_path, size=size) == expected


@pytest.mark.parametrize("font", ["tiit", "tibi", "heit", "hebi", "cour"])
def test_a_ligature_is_never_read_as_another(font, tmp_path):
    for read, printed in zip(lines_of((*LINES, LETTERS), tmp_path, font=font), (*LINES, LETTERS), strict=True):
        whole = unicodedata.normalize("NFKC", printed)
        assert re.fullmatch(re.escape(read).replace("\ufffd", ".{2,3}"), whole)


def test_a_shape_with_no_letters_to_compare_stays_unknown(tmp_path):
    assert lines_of(("the ﬁrst",), tmp_path) == ["the \ufffdrst"]
