"""Private codes of symbol fonts are told as what they show."""

from __future__ import annotations

import pytest

from documents.pdf.symbol_fonts import SYMBOL, WINGDINGS, shown


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
        ("A\uf0ff", "SymbolMT", "A\uf0ff"),
    ],
)
def test_bullets_and_signs_of_word_processors_are_what_a_reader_sees(text, font, signs):
    """Guards against lists whose bullets are taken for damage of the text layer, and sent to OCR."""
    assert shown_text(text, font) == signs


def test_the_tables_stand_where_the_fonts_have_their_signs():
    """Guards against a table that slips by one."""
    assert [SYMBOL[code] for code in (0x3D, 0x41, 0x5A, 0x61, 0x7A, 0xA5, 0xAE, 0xB4, 0xB9, 0xC6, 0xD6, 0xDE)] == list(
        "=ΑΖαζ∞→×≠∅√⇒"
    )
    assert WINGDINGS[0xD8] == "➢"
