"""Characters that no table of a font explains are read by their glyphs' names; names that say nothing are no text.

`tex_formulas.pdf` is what pdfTeX makes of a few formulas with its own fonts, which have no tables for Unicode.
"""

from __future__ import annotations

import pymupdf
import pytest

from documents.pdf.glyphs.glyph_names import REPLACEMENT_CHARACTER, meaning_of_name
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.text.symbol_fonts import ADOBE_PRIVATE
from documents.values import Source


def lines_of(path):
    source = Source(path=str(path), media_type="application/pdf")
    return PdfFile(source, RenderLimits()).inspect(1).lines


@pytest.mark.parametrize("rotation", [0, 90, 180])
def test_large_signs_of_tex_are_read(data, rotation, tmp_path):
    """Brackets, sums, products and integrals came out as U+FFFD."""
    with pymupdf.open(data / "tex_formulas.pdf") as document:
        document[0].set_rotation(rotation)
        document.save(tmp_path / "turned.pdf")
    text = " ".join(line.text for line in lines_of(tmp_path / "turned.pdf") if line.hidden is None)
    assert REPLACEMENT_CHARACTER not in text
    assert all(ord(character) < 0xE000 for character in text)
    for sign, count in {"∑": 1, "∏": 1, "∫": 1, "⋃": 1, "{": 1, "}": 1, "⊄": 1}.items():
        assert text.count(sign) == count, sign


def named(tmp_path, names, *, font="Helvetica"):
    """A page with the characters A, B, ... in a font that calls them so and has no table for Unicode."""
    text = "".join(chr(65 + k) for k in range(len(names)))
    document = pymupdf.open()
    document.new_page().insert_text((100, 300), text, fontname="helv")
    [(xref, *_)] = document[0].get_fonts()
    differences = "".join(f"/{name}" for name in names)
    document.xref_set_key(xref, "BaseFont", f"/{font}")
    document.xref_set_key(xref, "Encoding", f"<< /Type /Encoding /Differences [65 {differences}] >>")
    document.save(tmp_path / "a.pdf")
    return lines_of(tmp_path / "a.pdf")


def test_a_name_that_says_nothing_is_no_text(tmp_path):
    """`/gid00043` came out as text elsewhere."""
    line = named(tmp_path, ["gid00043", "gid00051", "cid1234", "g7"])
    assert [(one.text, one.bad_share) for one in line] in ([], [(4 * REPLACEMENT_CHARACTER, 1.0)])


def test_a_name_that_says_a_letter_is_one(tmp_path):
    [line] = named(tmp_path, ["eacute", "alpha"])
    assert line.text == "éα"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parenleftBigg", "("), ("bracketrightbig", "]"), ("summationdisplay", "∑"), ("integraltext", "∫"),
        ("hatwidest", "ˆ"), ("A", "A"), ("parenlefttp", "⎛"), ("sevenoldstyle", "7"), ("Asmall", "A"),
        *((name, REPLACEMENT_CHARACTER) for name in ("gid00043", "g43", "cid:12", "glyph12", "", ".notdef")),
    ],
)  # fmt: skip
def test_names_are_known_in_all_sizes(name, expected):
    assert meaning_of_name(name) == expected


def test_private_characters_of_adobe_are_shown_ones():
    assert all(0xE000 <= code < 0xF900 for code in ADOBE_PRIVATE)
    assert all(ord(sign) < 0xE000 for sign in ADOBE_PRIVATE.values())
