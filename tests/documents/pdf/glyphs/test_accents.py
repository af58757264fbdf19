"""Accents that a file sets apart from their letters are composed with them; those that stand alone stay so.

`tex_accents.pdf` is what pdfTeX makes of `J\\'an Min\\'a\\v{c}, Thomas Sch\\"on, ...` with its own fonts (OT1).
"""

from __future__ import annotations

import unicodedata

import pymupdf
import pytest

from documents.pdf.glyphs.accents import with_accents
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

TEX = (
    "Ján Mináč, Thomas Schön, Étienne, Île, Škoda, Ça va, garçon, naïve, Ñ, ñ,",
    "à la carte, Żyźná, Ångström, Erdős, ā, ğ, ḥ, ḵ, índice, dť, ş, Łódź, a´ b.",
    "We write x̂, ỹ, X̄, 2v⃗, q̈.",
)


def lines_of(path):
    return [
        line.text
        for line in PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits()).inspect(1).lines
    ]


def drawn(tmp_path, parts, *, rotate=0, size=12):
    """A line of parts, each some steps of type further than where the one before ended, and so far down."""
    document = pymupdf.open()
    page = document.new_page()
    font = pymupdf.Font("helv")
    x = 100.0
    for text, step, down in parts:
        x += step * size
        place = (x, 300 + down * size) if not rotate else (300 + down * size, 700 - x)
        page.insert_text(place, text, fontsize=size, rotate=rotate)
        x += font.text_length(text, size)
    document.save(tmp_path / "a.pdf")
    return lines_of(tmp_path / "a.pdf")


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_letters_of_tex_are_whole(data, rotation, tmp_path):
    """They came out as "J´an Min´aˇc"."""
    with pymupdf.open(data / "tex_accents.pdf") as document:
        document[0].set_rotation(rotation)
        document.save(tmp_path / "turned.pdf")
    assert lines_of(tmp_path / "turned.pdf") == [unicodedata.normalize("NFC", line) for line in TEX]


@pytest.mark.parametrize("rotate", [0, 90])
@pytest.mark.parametrize(
    ("letter", "accent", "expected"),
    [("a", "´", "á"), ("o", "¨", "ö"), ("n", "~", "ñ"), ("e", "^", "ê"), ("c", "¸", "ç"), ("u", "`", "ù")],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_accent_over_a_letter_is_one_with_it(letter, accent, expected, is_first, rotate, tmp_path):
    font = pymupdf.Font("helv")
    widths = {text: font.text_length(text, 1) for text in (letter, accent)}
    one, other = (accent, letter) if is_first else (letter, accent)
    back = -(widths[one] + widths[other]) / 2  # both middles over each other
    rest = widths[letter] / 2 - widths[other] / 2
    line = drawn(
        tmp_path,
        [("xx", 0, 0), (one, widths[letter] / 2 - widths[one] / 2, 0), (other, back, 0), ("xx", rest, 0)],
        rotate=rotate,
    )
    assert line == [f"xx{expected}xx"]


def test_an_accent_below_a_letter_is_another_one(tmp_path):
    width = pymupdf.Font("helv").text_length("h", 1)
    dot = pymupdf.Font("helv").text_length(".", 1)
    line = drawn(tmp_path, [("Ra", 0, 0), ("h", 0, 0), (".", -(width + dot) / 2, 0.2), ("man", (width - dot) / 2, 0)])
    assert line == ["Raḥman"]


@pytest.mark.parametrize("text", ["a´b", "the `code` of x^2", "~home", "5¨ 6´", "end. Then", "l'été à Noël"])
def test_accents_beside_letters_stay(text, tmp_path):
    assert drawn(tmp_path, [(text, 0, 0)]) == [text]


def test_an_accent_over_a_figure_stays(tmp_path):
    width, accent = (pymupdf.Font("helv").text_length(text, 1) for text in ("5", "´"))
    assert drawn(tmp_path, [("a5", 0, 0), ("´", -(width + accent) / 2, 0)]) == ["a5´"]


class CountedChars(list):
    """The characters of a span, which count how often somebody begins to go through them."""

    num_times = 0

    def __iter__(self):
        self.num_times += 1
        return super().__iter__()


def test_a_line_of_many_accents_is_gone_through_a_few_times():
    """Each accent for whose letter Unicode has no character searched the span for its letter from the beginning."""
    chars = CountedChars()
    for k in range(500):
        place = {"origin": (10.0 * k, 100.0), "bbox": (10.0 * k, 90.0, 10.0 * k + 8, 100.0)}
        chars += [{"c": "x", **place}, {"c": "\u02c6", **place}]
    [line] = with_accents([{"dir": (1.0, 0.0), "spans": [{"size": 10.0, "chars": chars}]}])
    assert "".join(char["c"] for char in line["spans"][0]["chars"]) == "x\u0302" * 500
    assert chars.num_times < 10
