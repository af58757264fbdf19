"""The typefaces of synthetic strips; those held out for measuring are never trained on."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Literal

from fontTools.ttLib import TTFont
from PIL import ImageFont

from training.fonts import NoFonts, font_files
from training.ocr.characters import CHARS

FAMILIES = (  # a family is a pattern of file names; each is drawn equally often
    "LiberationSerif LiberationSans LiberationMono NimbusRoman NimbusSans- NimbusMono P052 C059 URWBookman URWGothic "
    "DejaVuSans(?!Mono) DejaVuSerif DejaVuSansMono lmroman(?!caps|dunh|unsl) lmsans(?!quot) lmmono(?!caps) Carlito "
    "Lato- cmun(rm|bx|ti|bi|sl|ss|sx|si) cmun(tt|tb|it|st|vt) Roboto- RobotoCondensed NotoSans- NotoSerif- "
    "NotoSansDisplay NotoSansMono texgyretermes- texgyreheros- texgyreschola- texgyrepagella- texgyreadventor "
    "texgyrecursor FreeSerif FreeSans LinLibertine_R LinBiolinum_R STIX(General|-) Cantarell Inconsolata FiraCode "
    "Vollkorn- JunicodeTwoBeta- GFSDidot ComicNeue Arimo Tinos NimbusSansNarrow Courier.Prime GNUTypewriter 3270 "
    "Hermit- OCRA OCRB Anonymous.Pro GoudyBookletter OldStandard- JetBrainsMono- Gentium- CharisSIL-"
)
HELD_OUT = "Caladea OpenSans- EBGaramond Hack- Cabin- Cousine FreeMono"

Faces = Literal["all", "typewriter", "monospaced", "book"]
GROUPS: dict[Faces, str] = {  # patterns, too: what of either list a typewriter, a line printer or an old press may have
    "typewriter": "LiberationMono NimbusMono lmmono(?!caps) cmun(tt|tb|it|st|vt) texgyrecursor Courier.Prime "
    "GNUTypewriter Cousine FreeMono",
    "monospaced": "LiberationMono DejaVuSansMono NotoSansMono Inconsolata FiraCode 3270 Hermit- OCRA OCRB "
    "Anonymous.Pro JetBrainsMono- LiberationSans-Narrow NimbusSansNarrow RobotoCondensed Hack- Cousine",
    "book": "NimbusRoman P052 C059 URWBookman lmroman(?!caps|dunh|unsl) cmun(rm|bx|ti|bi|sl) FreeSerif LinLibertine_R "
    "Vollkorn- JunicodeTwoBeta- GFSDidot GoudyBookletter OldStandard- Gentium- CharisSIL- STIX(General|-) Tinos "
    "texgyre(termes|schola|pagella)- LiberationSerif EBGaramond Caladea",
}


@functools.cache
def families(held_out: bool, faces: Faces = "all") -> list[list[Path]]:
    """The font files of each installed family that have letters, not symbols alone. Raises NoFonts: there is none.

    `faces`: those of one group alone, or all where none of the group is installed.
    """
    names = (HELD_OUT if held_out else FAMILIES).split()
    files = [f for f in font_files() if f.suffix != ".ttc" and "Caps" not in f.name and "-Math" not in f.name]
    matching = ([f for f in files if re.match(pattern, f.name) and "a" in glyphs(f)] for pattern in names)
    present = [family for family in matching if family]
    if not present:
        raise NoFonts(f"none of these fonts is installed: {' '.join(names)}")
    if faces == "all":
        return present
    group = re.compile("|".join(GROUPS[faces].split()))
    return [alike for family in present if (alike := [file for file in family if group.match(file.name)])] or present


@functools.cache
def glyphs(path: Path) -> frozenset[str]:
    """The characters of ours that a font can draw."""
    with TTFont(path, lazy=True) as font:
        return frozenset(c for c in CHARS if ord(c) in (font.getBestCmap() or {}))


@functools.lru_cache(maxsize=1500)
def typeface(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size)


@functools.lru_cache(maxsize=200_000)
def advance(path: Path, size: int, char: str) -> float:
    return typeface(path, size).getlength(char)
