"""How a drawn web document looks: fonts, colours and the look of its headings, one choice for a whole document.

Fonts that are not installed give way to others. apt: chromium fonts-liberation fonts-noto-core fonts-noto-cjk
fonts-lato fonts-roboto fonts-open-sans fonts-crosextra-carlito fonts-crosextra-caladea fonts-sil-charis
fonts-sil-gentiumplus fonts-paratype fonts-vollkorn fonts-oldstandard fonts-sil-andika fonts-quicksand fonts-tuffy
fonts-ebgaramond fonts-texgyre fonts-hosny-amiri fonts-kacst fonts-lohit-deva fonts-wqy-microhei
fonts-wqy-zenhei fonts-ipafont fonts-nanum fonts-dejavu.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from training.structure.drawings.texts import Script

# Chromium embeds TrueType under its name; of the outlines of PostScript fonts it makes nameless fonts (`POSTSCRIPT`).
SERIF = (
    "Liberation Serif", "Caladea", "Charis SIL", "Gentium Plus", "Gentium Book Plus", "PT Serif", "Vollkorn",
    "Old Standard TT", "DejaVu Serif", "Noto Serif", "Noto Serif Display",
)  # fmt: skip
SANS = (
    "Liberation Sans", "Liberation Sans", "Carlito", "Lato", "Roboto", "Open Sans", "DejaVu Sans", "Noto Sans",
    "PT Sans", "Roboto Condensed", "Liberation Sans Narrow", "Andika", "Quicksand", "Tuffy",
)  # fmt: skip
POSTSCRIPT = ("EB Garamond", "TeX Gyre Pagella", "TeX Gyre Schola", "TeX Gyre Heros", "TeX Gyre Adventor")
MONO = ("DejaVu Sans Mono", "Liberation Mono")
WIDE = (
    "Liberation Serif", "Liberation Sans", "DejaVu Serif", "DejaVu Sans", "Noto Serif", "Noto Sans", "Roboto",
    "Open Sans", "Carlito", "Gentium Plus",
)  # fmt: skip
SCRIPT_FONTS: dict[Script, tuple[str, ...]] = {
    "cyrillic": WIDE,
    "greek": WIDE,
    "arabic": ("Noto Sans Arabic", "Noto Naskh Arabic", "Amiri", "DejaVu Sans", "KacstBook", "Noto Kufi Arabic"),
    "hebrew": ("Noto Sans Hebrew", "Noto Serif Hebrew", "DejaVu Sans", "Liberation Serif", "Liberation Sans"),
    "devanagari": ("Noto Sans Devanagari", "Noto Serif Devanagari", "Lohit Devanagari"),
    "chinese": ("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Noto Sans CJK SC", "Noto Serif CJK SC"),
    "japanese": ("IPAPGothic", "IPAPMincho", "IPAGothic", "IPAMincho", "Noto Sans CJK JP", "Noto Serif CJK JP"),
    "korean": ("NanumGothic", "NanumMyeongjo", "NanumBarunGothic", "Noto Sans CJK KR"),
}
ACCENTS = (0x1F3864, 0x8B0000, 0x006450, 0x2E74B5, 0xC55A11, 0x444444, 0x7030A0, 0x0B5394, 0xB00050, 0x00708A)
DARKS = (0x1F3864, 0x222222, 0x5A0F1E, 0x0B3D2E, 0x2B2150, 0x0B5394, 0x333F48, 0x7A3B00)
TINTS = (0xF2F2F2, 0xE8F0F8, 0xFFF5E0, 0xEAF4EA, 0xF8E8EC, 0xEEEEF8, 0xDDDDDD, 0xFFF9C4)


@dataclass(frozen=True, slots=True)
class HeadingLook:
    """CSS of one level of headings, and what is written before and behind their words."""

    css: str
    number: str = ""  # "1", "1.", "I", "A", "§" or nothing
    end: str = ""
    icon: str = ""
    bar: int | None = None  # the colour of the ground that the heading stands on in white
    coloured: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Fonts, sizes (points) and colours (0xRRGGBB) of one document."""

    body: str
    head: str
    size: float
    leading: float
    accent: int
    dark: int
    tint: int
    justify: bool
    indented: bool
    bullet: str
    headings: tuple[HeadingLook, ...]


def random_look(rng: random.Random, script: Script = "latin") -> Look:
    """A look for a script in which the levels of headings can be told apart."""
    families = SCRIPT_FONTS.get(script, SERIF if rng.random() < 0.45 else SANS)
    body = rng.choice(families)
    head = body if rng.random() < 0.55 else rng.choice(SCRIPT_FONTS.get(script, SERIF + SANS))
    if script == "latin" and rng.random() < 0.08:
        body = rng.choice(rng.choice([MONO, POSTSCRIPT]))
    accent = rng.choice(ACCENTS)
    return Look(
        body=body,
        head=head,
        size=rng.choice([8, 8.5, 9, 9.5, 10, 10, 10.5, 11, 11, 12]),
        leading=rng.choice([1.15, 1.25, 1.35, 1.45, 1.6]),
        accent=accent,
        dark=rng.choice(DARKS),
        tint=rng.choice(TINTS),
        justify=rng.random() < 0.3,
        indented=rng.random() < 0.15,
        bullet=rng.choice("•••–◦▪-*►✓"),
        headings=_headings(rng, accent),
    )


def _headings(rng: random.Random, accent: int) -> tuple[HeadingLook, ...]:
    sizes = rng.choice([(1.8, 1.4, 1.15), (2.2, 1.5, 1.2), (1.4, 1.2, 1.0), (1.2, 1.0, 1.0), (1.0, 1.0, 1.0)])
    number = rng.choices(["", "1", "1.", "I", "A", "§"], [72, 10, 9, 3, 3, 3])[0]
    capitals = rng.choice([0, 0, 0, 1, 2, 3])
    bold = rng.random() < 0.8
    return tuple(
        _heading(
            rng, size=size, bold=bold, capitals=capitals == level, number=number if level < 3 else "", accent=accent
        )
        for level, size in enumerate(sizes, 1)
    )


def _heading(rng: random.Random, *, size: float, bold: bool, capitals: bool, number: str, accent: int) -> HeadingLook:
    plain = size < 1.05
    bold = bold or (plain and rng.random() < 0.8)
    css = [f"font-size:{size}em", f"font-weight:{700 if bold else 400}"]
    css.append(f"margin:{rng.uniform(0.7, 1.8):.2f}em 0 {rng.uniform(0.15, 0.7):.2f}em")
    italic = rng.random() < (0.6 if plain and not bold else 0.06)
    css += ["font-style:italic"] if italic else []
    css += ["text-transform:uppercase"] if capitals or (plain and not bold and not italic) else []
    css += [f"letter-spacing:{rng.choice([0.05, 0.1])}em"] if rng.random() < 0.06 else []
    css += ["font-variant:small-caps"] if rng.random() < 0.04 else []
    css.append("text-align:" + rng.choices(["start", "center", "end"], [84, 14, 2])[0])
    bar = None
    match rng.choices(["", "bar", "below", "above", "under", "side"], [76, 6, 7, 4, 4, 3])[0]:
        case "bar":
            bar = rng.choice([accent, *DARKS])
            css.append(f"background:#{bar:06x};padding:.25em .6em")
        case "below":
            css.append(f"border-bottom:{rng.choice([0.5, 1, 2])}pt solid #{accent:06x};padding-bottom:.15em")
        case "above":
            css.append(f"border-top:{rng.choice([0.5, 1, 3])}pt solid #{accent:06x};padding-top:.3em")
        case "under":
            css.append("text-decoration:underline")
        case "side":
            css.append(f"border-inline-start:4pt solid #{accent:06x};padding-inline-start:.5em")
        case _:
            pass
    return HeadingLook(
        css=";".join(css),
        number=number,
        end=rng.choices(["", ":", ".", "?"], [88, 8, 2, 2])[0],
        icon=rng.choice("■▶★●❖✚☎✉⚙") if rng.random() < 0.05 else "",
        bar=bar,
        coloured=rng.random() < 0.5,
    )
