"""Codes of symbol fonts in a PDF are read as what they draw."""

from __future__ import annotations

import pytest

from documents.pdf.glyphs.symbol_fonts import shown


def shown_text(text, font):
    return "".join(char["c"] for char in shown([{"c": sign, "bbox": (0, 0, 1, 1)} for sign in text], font))


@pytest.mark.parametrize(
    ("text", "font", "signs"),
    [
        ("\uf0b7", "SymbolMT", "•"),
        ("\uf0a7", "ABCDEF+Wingdings-Regular", "▪"),
        ("\uf0fc", "Wingdings", "✓"),
        ("\uf061\uf0a3\uf062", "Symbol", "α≤β"),
        ("\uf0b7", "Calibri", "\uf0b7"),
        ("\uf0b7", "EuclidSymbol", "•"),
        ("a5", "Segoe UI Symbol", "a5"),
        ("A\uf0ff", "SymbolMT", "Α\uf0ff"),
        ("µ × α", "SymbolMT", "µ × α"),
    ],
)
def test_bullets_and_signs_of_word_processors_are_what_a_reader_sees(text, font, signs):
    """Guards against lists whose bullets are taken for damage of the text layer, and sent to OCR."""
    assert shown_text(text, font) == signs


@pytest.mark.parametrize(
    ("font", "written", "signs"),
    [("zadb", "4 8 l n \xb6", "✔ ✘ ● ■ ❶"), ("symb", "a \xa3 b \xb3 \xb7 \xae", "α ≤ β ≥ • →")],
)
def test_standard_fonts_without_an_encoding_are_no_letters(with_pool, pdf_of, font, written, signs):
    """Guards against ticks and bullets that come out as letters: MuPDF gives the codes of these fonts."""
    source = pdf_of(lambda page: page.insert_text((72, 100), written, fontname=font, fontsize=14))

    async def lines(pool):
        return (await pool.inspect(source, 1)).inspection().lines

    assert [line.text for line in with_pool(lines)] == [signs]
