"""Codes of symbol fonts are written as what they draw."""

from __future__ import annotations

import unicodedata

import pymupdf
import pytest

from documents.text.symbol_fonts import (
    SYMBOL,
    WEBDINGS,
    WINGDINGS,
    WINGDINGS_2,
    WINGDINGS_3,
    ZAPF_DINGBATS,
    in_symbols,
    symbol_table,
)


@pytest.mark.parametrize(
    ("font", "codes", "names"),
    [
        ("Wingdings", "\xfc\xfb\xfe\xfd\xa8", ["CHECK MARK", "BALLOT X", "BALLOT BOX WITH CHECK", "BALLOT BOX WITH X"]),
        ("Wingdings", "JLl\xa7", ["WHITE SMILING FACE", "WHITE FROWNING FACE", "BLACK CIRCLE", "BLACK SMALL SQUARE"]),
        ("Wingdings", "\xdf\xe0\xe1\xe2", ["LEFTWARDS ARROW", "RIGHTWARDS ARROW", "UPWARDS ARROW", "DOWNWARDS ARROW"]),
        ("Wingdings 2", "PRT\xa3", ["CHECK MARK", "BALLOT BOX WITH CHECK", "BALLOT BOX WITH X", "BALLOT BOX"]),
        (
            "Wingdings 3",
            "pqtu",
            [f"BLACK {way}-POINTING TRIANGLE" for way in ("UP", "DOWN", "LEFT", "RIGHT")],
        ),
        ("Webdings", "4a\xfc", ["BLACK RIGHT-POINTING TRIANGLE", "HEAVY CHECK MARK", "EARTH GLOBE EUROPE-AFRICA"]),
        ("ZapfDingbats", "48ln", ["HEAVY CHECK MARK", "HEAVY BALLOT X", "BLACK CIRCLE", "BLACK SQUARE"]),
        ("Symbol", "m\xa3\xb3\xd6", ["GREEK SMALL LETTER MU", "LESS-THAN OR EQUAL TO", "GREATER-THAN OR EQUAL TO"]),
    ],
)
def test_codes_are_what_the_fonts_draw(font: str, codes: str, names: list[str]) -> None:
    """Guards against a table that slips by one; the names are Unicode's own."""
    drawn = in_symbols(codes, font)
    assert [unicodedata.name(sign) for sign in drawn[: len(names)]] == names
    assert in_symbols("".join(chr(ord(code) + 0xF000) for code in codes), font) == drawn


@pytest.mark.parametrize(("name", "table"), [("symb", SYMBOL), ("zadb", ZAPF_DINGBATS)])
def test_a_table_has_what_the_font_itself_has(name: str, table: dict[int, str]) -> None:
    """The oracle is the font inside MuPDF, by the names of its glyphs; private characters are Adobe's."""
    own = {chr(code) for code in pymupdf.Font(name).valid_codepoints()}
    others = set("∍⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭⎮⎯⏐‾®©™⟨⟩")  # other characters there: U+220B, U+2329, private ones
    assert set(table.values()) - own <= others
    assert len(own - set(table.values())) < 40


@pytest.mark.parametrize("table", [SYMBOL, ZAPF_DINGBATS, WINGDINGS, WINGDINGS_2, WINGDINGS_3, WEBDINGS])
def test_the_tables_are_whole(table: dict[int, str]) -> None:
    assert set(range(0x21, 0x7F)) <= set(table)
    assert all(len(sign) == 1 and unicodedata.category(sign) not in ("Co", "Cn", "Cc") for sign in table.values())


@pytest.mark.parametrize("font", ["ABCDEF+Wingdings-Regular", "wingdings", "Wingdings,Bold", "WINGDINGS"])
def test_a_font_is_known_by_its_name_however_that_is_written(font: str) -> None:
    assert symbol_table(font) is WINGDINGS


@pytest.mark.parametrize("font", ["Segoe UI Symbol", "Symbola", "Arial", "OpenSymbol", "", None])
def test_fonts_whose_codes_are_unicode_stay_as_they_are(font: str | None) -> None:
    """Guards against letters of a font that only has `symbol` in its name."""
    assert in_symbols("abc \uf0b7", font) == "abc \uf0b7"
