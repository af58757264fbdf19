"""A character that nothing explains is what its glyph surely looks like; a symbol font's name is believed if it fits.

Fonts are those that MuPDF carries, with lies put into their tables and names.
The oracle is what the page was drawn from.
"""

from __future__ import annotations

import pymupdf
import pytest

from documents.pdf.glyphs import glyph_names
from documents.pdf.glyphs.glyph_shapes import AMBIGUOUS_CHARACTERS, contradicts, sure_reading
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

LOST = "\ufffd"
PLAIN = "Many sentences around it say what the page is written in, and they are read as they are."


@pytest.fixture
def nameless(monkeypatch):
    """The names of glyphs say nothing, as in most TrueType fonts; those that MuPDF carries have names."""
    monkeypatch.setattr(glyph_names, "meaning_of_name", lambda name: LOST)


def lines_of(texts, tmp_path, *, font="helv", name=None, table=None, rotation=0):
    """The lines of a page whose font is called `name`, and says of each character of `table` that it is another one."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), PLAIN, fontsize=10)
    page.insert_font(fontname="F1", fontbuffer=pymupdf.Font(font).buffer)
    for k, text in enumerate(texts):
        page.insert_text((72, 100 + 20 * k), text, fontname="F1", fontsize=12)
    page.set_rotation(rotation)
    [xref] = [xref for xref, _, kind, *_ in page.get_fonts() if kind == "Type0"]
    number = int(document.xref_get_key(xref, "ToUnicode")[1].split()[0])
    document.update_stream(number, table_of(texts, font, table or {}).encode())
    if name is not None:
        for owner in range(1, document.xref_length()):
            for key in ("BaseFont", "FontName"):
                if document.xref_get_key(owner, key)[0] == "name" and owner != page.get_fonts()[0][0]:
                    document.xref_set_key(owner, key, f"/ABCDEF+{name}")
    document.save(tmp_path / "a.pdf")
    source = Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf")
    return [line.text for line in PdfFile(source, RenderLimits()).inspect(1).lines if line.text != PLAIN]


def table_of(texts, font, table):
    """A font's table: what it says of the characters of some texts."""
    program = pymupdf.Font(font)
    codes = {character: program.has_glyph(ord(character)) for character in sorted(set("".join(texts)))}
    entries = [f"<{code:04x}> <{ord(table.get(character, character)):04x}>" for character, code in codes.items()]
    return "\n".join(
        (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def",
            "1 begincodespacerange <0000> <FFFF> endcodespacerange",
            f"{len(entries)} beginbfchar",
            *entries,
            "endbfchar endcmap CMapName currentdict /CMap defineresource pop end end",
        )
    )


@pytest.mark.parametrize("font", ["helv", "hebo", "tiro", "tiit", "cour"])
@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.usefixtures("nameless")
def test_a_lost_character_is_what_it_looks_like(font, rotation, tmp_path):
    """Single letters and digits without a meaning left "har\ufffdour" and "\ufffd5 m" to OCR."""
    table = dict.fromkeys("bkw5§", LOST)
    assert lines_of(["harbour work 45 m, § 5"], tmp_path, font=font, table=table, rotation=rotation) == [
        "harbour work 45 m, § 5"
    ]


@pytest.mark.usefixtures("nameless")
def test_what_has_no_ink_is_a_space(tmp_path):
    assert lines_of(["two words"], tmp_path, table={" ": LOST}) == ["two words"]


@pytest.mark.usefixtures("nameless")
def test_letters_that_look_like_others_stay_unknown(tmp_path):
    assert lines_of(["Il0Oo1"], tmp_path, table=dict.fromkeys("Il0Oo1", LOST)) == [6 * LOST]


@pytest.mark.usefixtures("nameless")
def test_letters_of_another_script_are_not_read_as_latin(tmp_path):
    """The Russian word for a crab would begin with a Latin letter."""
    texts = ["Корабль у причала ждёт прилива, Рак уже на борту."] * 8
    assert {one.count(LOST) for one in lines_of(texts, tmp_path, table={"Р": LOST})} == {1}


def test_a_text_font_that_is_called_symbol_says_what_it_draws(tmp_path):
    """Its letters came out as Greek."""
    assert lines_of(["Boat berth 47"], tmp_path, name="Symbol") == ["Boat berth 47"]


@pytest.mark.parametrize("name", ["Wingdings", "Symbol"])
def test_a_symbol_font_that_draws_other_letters_than_it_says_is_not_trusted(name, tmp_path):
    """No table of the font and not its own codes say what is drawn: OCR is to read the word."""
    assert lines_of(["BBB"], tmp_path, name=name, table={"B": "Q"}) == [3 * LOST]


def test_a_real_symbol_font_is_believed(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="F1", fontbuffer=pymupdf.Font("symb").buffer)
    page.insert_text((72, 100), "αβγ∆Ω≤∑•→", fontname="F1", fontsize=12)
    document.save(tmp_path / "a.pdf")
    source = Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf")
    assert [line.text for line in PdfFile(source, RenderLimits()).inspect(1).lines] == ["αβγ∆Ω≤∑•→"]


@pytest.mark.parametrize("font", ["helv", "hebi", "tiro", "tibo", "cour", "cobi"])
def test_a_glyph_is_itself_or_nothing(font):
    """What the fonts themselves say of their glyphs is the oracle."""
    program = pymupdf.Font(font)
    wrong = {}
    for code in (*range(0x21, 0x7F), *range(0xA1, 0x180)):
        reading = sure_reading(program, program.has_glyph(code)) if program.has_glyph(code) else None
        if reading is not None and reading != chr(code) and contradicts(reading, chr(code)):
            wrong[chr(code)] = reading
    assert not wrong
    assert sum(sure_reading(program, program.has_glyph(code)) == chr(code) for code in range(0x21, 0x7F)) >= 50


def test_nothing_unsure_is_read():
    program = pymupdf.Font("helv")
    assert {
        sure_reading(program, program.has_glyph(ord(c))) for c in AMBIGUOUS_CHARACTERS if program.has_glyph(ord(c))
    } == {None}
