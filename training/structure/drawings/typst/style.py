"""How one document looks: faces, sizes, colours, and what its headings of each level are like."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from typing import Literal

import typst

from training.structure.drawings.texts import Script
from training.structure.drawings.typst.vocabulary import words

SERIFS = words(
    "Libertinus Serif|New Computer Modern|TeX Gyre Termes|TeX Gyre Pagella|TeX Gyre Schola|TeX Gyre Bonum|"
    "EB Garamond 12|Caladea|Liberation Serif|DejaVu Serif|Noto Serif|Linux Libertine O|Charis SIL|Gentium Plus|"
    "PT Serif|Vollkorn|Old Standard TT|STIXGeneral"
)
SANS = words(
    "TeX Gyre Heros|TeX Gyre Adventor|Lato|Open Sans|Roboto|Carlito|Liberation Sans|DejaVu Sans|Noto Sans|Cantarell|"
    "PT Sans|Cabin|Linux Biolinum O|Andika|Liberation Sans|Carlito|Quicksand|Play"
)
MONOSPACE = ("DejaVu Sans Mono", "Liberation Mono", "TeX Gyre Cursor", "Inconsolata", "Noto Sans Mono", "Courier Prime")
EASTERN_EUROPE = words(
    "Libertinus Serif|Liberation Serif|DejaVu Serif|Noto Serif|Linux Libertine O|Liberation Sans|DejaVu Sans|Noto Sans|"
    "Roboto|Open Sans|Carlito"
)
FACES: dict[Script, tuple[str, ...]] = {
    "latin": SERIFS + SANS,
    "cyrillic": (*EASTERN_EUROPE, "PT Sans", "PT Serif"),
    "greek": EASTERN_EUROPE,
    "arabic": words(
        "Amiri|Noto Naskh Arabic|Noto Sans Arabic|Noto Kufi Arabic|DejaVu Sans|KacstBook|KacstNaskh|KacstOffice"
    ),
    "hebrew": words("Noto Sans Hebrew|Noto Serif Hebrew|DejaVu Sans"),
    "devanagari": words("Noto Sans Devanagari|Noto Serif Devanagari|Lohit Devanagari"),
    "chinese": words("Noto Sans CJK SC|Noto Serif CJK SC|WenQuanYi Zen Hei|WenQuanYi Micro Hei"),
    "japanese": words("Noto Sans CJK JP|Noto Serif CJK JP|IPAPGothic|IPAPMincho|IPAMincho"),
    "korean": words("Noto Sans CJK KR|Noto Serif CJK KR|NanumGothic|NanumMyeongjo|NanumBarunGothic"),
}
BLACK = 0x000000
WHITE = 0xFFFFFF
INKS = (0x1F3864, 0x8B0000, 0x006400, 0x2E74B5, 0xC55A11, 0x444444, 0x7030A0, 0x00796B, 0xB03060)
BARS = (0x1F3864, 0x8B0000, 0x2E74B5, 0x333333, 0x006400, 0x7030A0, 0xC55A11, 0x555555)
SIZES = (8.0, 8.5, 9.0, 9.5, 10.0, 10.0, 10.5, 11.0, 11.0, 12.0, 12.0)
SCALES = ((1.7, 1.4, 1.2), (2.2, 1.6, 1.3), (1.44, 1.2, 1.0), (1.2, 1.0, 1.0), (1.0, 1.0, 1.0), (1.3, 1.1, 1.0))

Numbering = Literal["", "1", "1.", "I.", "A.", "chapter", "§", "1)", "Section"]
Place = Literal["block", "run_in"]
Line = Literal["", "below", "above", "underline"]


@dataclass(frozen=True, slots=True)
class HeadingStyle:
    """The headings of one level; sizes in em of the body."""

    size: float
    bold: bool
    italic: bool
    capitals: bool
    small_capitals: bool
    colour: int
    align: Literal["start", "center", "end"]
    numbering: Numbering
    end: str
    above: float
    below: float
    tracking: float
    line: Line
    bar: int | None  # the colour of the bar that the heading stands on, in white
    font: str
    place: Place
    number_gap: float  # after the number; 0: a space


@dataclass(frozen=True, slots=True)
class Style:
    """What all pages of a document share."""

    font: str
    other_font: str
    monospace: str
    size: float  # points
    accent: int
    headings: tuple[HeadingStyle, HeadingStyle, HeadingStyle]
    bullet: str


@cache
def installed_faces(script: Script) -> tuple[str, ...]:
    """The faces for a script that Typst has here; for Latin there are always those that Typst brings along."""
    return tuple(face for face in FACES[script] if face in _families())


@cache
def _families() -> frozenset[str]:
    return frozenset(typst.Fonts().families())


def choose_style(chance: random.Random, script: Script, bullets: str) -> Style:
    faces = installed_faces(script)
    font = chance.choice(faces)
    other = chance.choice(faces)
    heading_font = font if chance.random() < 0.6 else other
    accent = BLACK if chance.random() < 0.45 else chance.choice(INKS)
    monospace = chance.choice(MONOSPACE)
    if script == "latin" and chance.random() < 0.05:  # a typewriter's page is not code
        font = heading_font = monospace
    return Style(
        font=font,
        other_font=other,
        monospace=monospace,
        size=chance.choice(SIZES),
        accent=accent,
        headings=_heading_styles(chance, script, heading_font, accent),
        bullet=chance.choice(bullets),
    )


def _heading_styles(
    chance: random.Random, script: Script, font: str, accent: int
) -> tuple[HeadingStyle, HeadingStyle, HeadingStyle]:
    kinds: list[Numbering] = ["", "1", "1.", "I.", "A.", "chapter", "§", "1)", "Section"]
    numbering = chance.choices(kinds, (50, 18, 12, 4, 3, 5, 2, 3, 3))[0]
    scale = chance.choice(SCALES)
    is_bold = chance.random() < 0.8
    has_case = script in ("latin", "cyrillic", "greek")
    level_of_capitals = chance.choice((-1, -1, 0, 1, 2)) if has_case else -1
    align = chance.choices(("start", "center", "end"), (80, 17, 3))[0]

    def style(level: int) -> HeadingStyle:
        size = scale[level]
        is_plain = size < 1.05
        bold = is_bold or (is_plain and chance.random() < 0.6)
        capitals = level == level_of_capitals
        small = has_case and not capitals and chance.random() < 0.07
        is_odd = is_plain and not bold  # a heading that size and weight do not show is shown by something else
        italic = has_case and not capitals and not small and chance.random() < (0.6 if is_odd else 0.1)
        return HeadingStyle(
            size=1.0 if is_plain else size * chance.uniform(0.97, 1.06),
            bold=bold,
            italic=italic,
            capitals=capitals,
            small_capitals=small,
            colour=accent if chance.random() < 0.7 else BLACK,
            align=align if chance.random() < 0.85 else "start",
            numbering=numbering if level < 2 or chance.random() < 0.5 else "",
            end=chance.choices(("", ":", "."), (82, 12, 6))[0],
            above=chance.uniform(0.8, 2.2),
            below=chance.uniform(0.35, 1.1),
            tracking=chance.choice((0.05, 0.1, 0.2)) if chance.random() < 0.06 else 0.0,
            line=chance.choices(("", "below", "above", "underline"), (84, 8, 3, 5))[0],
            bar=chance.choice(BARS) if chance.random() < 0.06 else None,
            font=font,
            place="run_in" if level and chance.random() < 0.12 * level else "block",
            number_gap=chance.uniform(0.8, 3) if chance.random() < 0.3 else 0.0,
        )

    return style(0), style(1), style(2)
