"""Maps characters of symbol fonts (private use area) to Unicode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PRIVATE = 0xF000
SYMBOL: Mapping[int, str] = {  # Adobe's encoding of Symbol, from 0x22
    **dict(enumerate("∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_", 0x22)),
    **dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼", 0x61)),
    **dict(enumerate("ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…", 0xA1)),
    **dict(enumerate("ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓", 0xC0)),
    0xF2: "∫",
}
WINGDINGS: Mapping[int, str] = {
    0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9F: "•",
    0xA1: "○", 0xA7: "▪", 0xA8: "□", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨",
    0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip


def shown(chars: Sequence[dict[str, Any]], font: str) -> list[dict[str, Any]]:
    """MuPDF's characters of one span; private codes that the font's name explains become the visible characters."""
    signs = WINGDINGS if "wingdings" in font.lower() else SYMBOL if "symbol" in font.lower() else {}
    if not signs:
        return list(chars)
    return [{**char, "c": signs.get(ord(char["c"]) - PRIVATE, char["c"])} for char in chars]
