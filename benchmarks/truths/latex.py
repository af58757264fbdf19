"""Compares LaTeX with LaTeX: by its tokens, and by the places of the glyphs that TeX sets of both."""

from __future__ import annotations

import re
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf
from pymupdf import mupdf
from rapidfuzz.distance import Levenshtein

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\S")
UNSEEN = re.compile(  # what says nothing of signs and structure: sizes, spaces, numbers, alignment
    r"\\(?:left|right|[bB]ig+[lrm]?|displaystyle|textstyle|limits|nolimits|qquad|quad|nonumber)(?![a-zA-Z])|\\[,;:! ]|~"
    r"|\\(?:tag|label)\{[^}]*\}|\\(?:begin|end)\{(?:aligned|gathered|array|split)\}(?:\{[lcr|]*\})?|&|\\\\"
)
SAME = {
    **dict.fromkeys((r"\textrm", r"\text", r"\operatorname", r"\mbox", r"\rm", r"\mathop"), r"\mathrm"),
    r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\to": r"\rightarrow", r"\le": r"\leq", r"\ge": r"\geq",
    r"\ne": r"\neq", r"\bm": r"\boldsymbol", r"\ldots": r"\dots", r"\vert": "|", r"\mid": "|", r"\ast": "*",
    r"\land": r"\wedge", r"\overline": r"\bar", r"\widehat": r"\hat", r"\widetilde": r"\tilde", r"\mathit": "",
}  # fmt: skip
MAX_JOINED = 3  # rows of one formula that the other side has as formulas of their own
MIN_ALIKE = 0.2  # of two formulas that may be the same one
SHIFT = 1.6  # points that a glyph may stand higher or lower


class PlacedGlyph(NamedTuple):
    """A glyph by the name that its font gives it; points on the page."""

    name: str
    x: float
    y: float


def tokens_of(latex: str) -> tuple[str, ...]:
    """Commands and characters, braces around one token left out."""
    latex = UNSEEN.sub(" ", re.sub(r"\\operatorname\s*\*", r"\\operatorname", latex))
    tokens = [SAME.get(token, token) for token in TOKEN.findall(latex)]
    tokens = [token for token in tokens if token]
    k = 0
    while k < len(tokens) - 2:
        if tokens[k] == "{" and tokens[k + 2] == "}" and tokens[k + 1] not in "{}":
            tokens[k : k + 3] = [tokens[k + 1]]
            k = max(0, k - 2)
        else:
            k += 1
    return tuple(tokens)


def similarities(truth: Sequence[str], written: Sequence[str]) -> list[float]:
    """Of each true formula the edit similarity (0..1) with what was written of it, both in their order.

    The pairs are those of the highest sum; up to `MAX_JOINED` formulas in a row may be one of the other side.
    """
    a, b = [tokens_of(one) for one in truth], [tokens_of(one) for one in written]
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    steps: dict[tuple[int, int], tuple[int, int, float]] = {}
    sizes = [(1, n) for n in range(1, MAX_JOINED + 1)] + [(n, 1) for n in range(2, MAX_JOINED + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            choices = [(best[i - 1][j], 1, 0, 0.0)] * (i > 0) + [(best[i][j - 1], 0, 1, 0.0)] * (j > 0)
            for m, n in sizes:
                if i >= m and j >= n:
                    alike = Levenshtein.normalized_similarity(sum(a[i - m : i], ()), sum(b[j - n : j], ()))
                    if alike > MIN_ALIKE:
                        choices.append((best[i - m][j - n] + m * alike, m, n, alike))
            if choices:
                best[i][j], m, n, alike = max(choices)
                steps[i, j] = m, n, alike
    values = [0.0] * len(a)
    i, j = len(a), len(b)
    while (i, j) in steps:
        m, n, alike = steps[i, j]
        values[i - m : i] = [alike] * m
        i, j = i - m, j - n
    return values


def typeset(head: str, formulas: Sequence[str], folder: Path) -> list[list[PlacedGlyph]]:
    """The glyphs of each formula as pdfTeX sets it on a page of its own; none where it does not understand it."""
    folder.mkdir(parents=True, exist_ok=True)
    body = "\n\\newpage\n".join(
        f"\\typeout{{FORMULA {k}}}\n\\begin{{equation*}}\n{latex}\n\\end{{equation*}}"
        for k, latex in enumerate(formulas)
    )
    known = r"\providecommand{\lt}{<}\providecommand{\gt}{>}"
    (folder / "set.tex").write_text(
        f"{head}\n{known}\\pagestyle{{empty}}\n\\begin{{document}}\n{body}\n\\end{{document}}"
    )
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "set.tex"], cwd=folder, capture_output=True, check=False)
    errors = errors_of((folder / "set.log").read_text(errors="replace"))
    with pymupdf.open(folder / "set.pdf") as document:
        fonts = _fonts(document)
        sheets = [document[k] for k in range(len(document))]
        pages = [[] if str(k) in errors else _glyphs(sheet, fonts) for k, sheet in enumerate(sheets)]
    return pages if len(pages) == len(formulas) else [[] for _ in formulas]


def errors_of(log: str) -> set[str]:
    """The names after FORMULA in TeX's log that an error follows."""
    names: set[str] = set()
    name = ""
    for line in log.split("\n"):
        if line.startswith("FORMULA "):
            name = line.split()[1]
        elif line.startswith("! "):
            names.add(name)
    return names


def share_in_place(truth: Sequence[PlacedGlyph], other: Sequence[PlacedGlyph]) -> float:
    """The share (0..1) of the glyphs of both that stand on the same level, after one shift of all."""
    places: defaultdict[str, tuple[list[tuple[float, float]], list[tuple[float, float]]]] = defaultdict(
        lambda: ([], [])
    )
    for side, glyphs in enumerate((truth, other)):
        for glyph in glyphs:
            places[glyph.name][side].append((glyph.x, glyph.y))
    shifts = [q[1] - p[1] for own, others in places.values() for p, q in zip(sorted(own), sorted(others), strict=False)]
    if not shifts:
        return 0.0
    middle = statistics.median(shifts)
    return sum(abs(shift - middle) < SHIFT for shift in shifts) / max(len(truth), len(other))


def _fonts(document: pymupdf.Document) -> dict[str, pymupdf.Font]:
    fonts: dict[str, pymupdf.Font] = {}
    for k in range(len(document)):
        for xref, _, _, name, *_ in document.get_page_fonts(k):
            _, _, _, program = document.extract_font(xref)
            if program:
                fonts.setdefault(str(name).rpartition("+")[2], pymupdf.Font(fontbuffer=program))
    return fonts


def _glyphs(page: pymupdf.Page, fonts: Mapping[str, pymupdf.Font]) -> list[PlacedGlyph]:
    spans: list[dict[str, Any]] = page.get_texttrace()
    return [
        PlacedGlyph(str(mupdf.fz_get_glyph_name2(fonts[span["font"]].this, number)), x, y)
        for span in spans
        if span["font"] in fonts
        for code, number, (x, y), *_ in span["chars"]
        if code != ord(" ")
    ]
