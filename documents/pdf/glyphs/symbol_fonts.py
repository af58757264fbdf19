"""Writes a PDF's characters of symbol fonts as what they draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from documents.text.symbol_fonts import PRIVATE_OFFSET, SYMBOL, code_of, symbol_table

UNCODED_KEY = "as_it_is"  # key of a character that is no code, whatever its font is called
LATIN1_SYMBOLS = frozenset("°±µ×÷¬")  # Symbol itself has these of Latin-1: a PDF with a good encoding states these


def shown(chars: Sequence[dict[str, Any]], font: str) -> list[dict[str, Any]]:
    """MuPDF's characters of one span; codes that the font's name explains become the visible characters."""
    table = symbol_table(font)
    if table is None:
        if "symbol" not in font.lower():
            return list(chars)
        return [{**char, "c": SYMBOL.get(ord(char["c"]) - PRIVATE_OFFSET, char["c"])} for char in chars]
    kept = LATIN1_SYMBOLS if table is SYMBOL else ()
    return [
        char if char["c"] in kept or UNCODED_KEY in char else {**char, "c": table.get(code_of(char["c"]), char["c"])}
        for char in chars
    ]
