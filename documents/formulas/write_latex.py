"""Writes the tree of a formula as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from documents.formulas.tree import (
    Accent,
    Binomial,
    Fraction,
    Grid,
    Lines,
    Name,
    Part,
    Root,
    Row,
    Scripts,
    Symbol,
)
from documents.text.math_symbols import CLOSING, FENCES

DOTS = re.compile(r"\.\.\.|(?:\\cdot *){3}(?![a-zA-Z])")
QUAD = 0.9  # gap between parts, in sizes of the type, that is written as a space; twice as wide as two
WORD = 0.25  # gap between letters of one word, at most
SPACE = 0.22  # gap between words, at least
MATRICES = {("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("|", "|"): "vmatrix", ("{", ""): "cases"}
BARS = "|‖∥∣"
SIZES = ((3.0, r"\Bigg"), (2.3, r"\bigg"), (1.7, r"\Big"), (1.2, r"\big"))


def latex_of(part: Part | None) -> str:
    """Without dollars."""
    if part is None:
        return ""
    match part.node:
        case Symbol():
            return _symbols([part])
        case Name(text=text, is_function=is_function):
            return "\\" + text if is_function and text not in ("argmax", "argmin") else rf"\operatorname{{{text}}}"
        case Row(parts=parts):
            return _row(parts)
        case Fraction(numerator=numerator, denominator=denominator):
            return rf"\frac{{{latex_of(numerator)}}}{{{latex_of(denominator)}}}"
        case Binomial(above=above, below=below, fences=("(", ")")):
            return rf"\binom{{{latex_of(above)}}}{{{latex_of(below)}}}"
        case Binomial(above=above, below=below, fences=fences):
            return _grid([[above], [below]], fences)
        case Root(inner=inner, degree=degree):
            return rf"\sqrt{f'[{latex_of(degree)}]' if degree else ''}{{{latex_of(inner)}}}"
        case Scripts(base=base):
            return _base(base) + _scripts(part.node)
        case Accent(command=command, base=base):
            return f"{command}{{{latex_of(base)}}}"
        case Grid(rows=rows, fences=fences):
            return _grid(rows, fences)
        case Lines(rows=rows):
            return r"\begin{gathered} " + r" \\ ".join(latex_of(row) for row in rows) + r" \end{gathered}"


def _scripts(node: Scripts) -> str:
    below = f"_{{{latex_of(node.below)}}}" if node.below else ""
    return below + (f"^{{{latex_of(node.above)}}}" if node.above else "")


def _base(base: Part | None) -> str:
    if base is None:
        return "{}"
    written = latex_of(base)
    return written if isinstance(base.node, Symbol | Name | Scripts | Accent | Fraction) else f"{{{written}}}"


def _grid(rows: Sequence[Sequence[Part | None]], fences: tuple[str, str]) -> str:
    name = MATRICES.get(fences, "matrix")
    inner = rf"\begin{{{name}}} " + r" \\ ".join(" & ".join(map(latex_of, row)) for row in rows) + rf" \end{{{name}}}"
    if name != "matrix" or fences == ("", ""):
        return inner
    left, right = (_fence(fence) or "." for fence in fences)
    return rf"\left{left} {inner} \right{right}"


def _fence(text: str) -> str:
    return {"{": r"\{", "}": r"\}", "⟨": r"\langle", "⟩": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil",
            "⌉": r"\rceil", "‖": r"\|", "∥": r"\|", "〈": r"\langle", "〉": r"\rangle", "∣": "|"}.get(text, text)  # fmt: skip


def _row(parts: Sequence[Part]) -> str:
    """Parts side by side; letters of one alphabet are written together, wide gaps as spaces."""
    sized = _fenced(parts)
    pieces: list[str] = []
    end: float | None = None
    for (alphabet, _), group in groupby(_runs(parts), key=lambda pair: (pair[0], pair[2])):
        run = [part for _, part, _ in group]
        gap = (run[0].box.x0 - end) / max(1.0, run[0].size) if end is not None else 0.0
        if gap > QUAD:
            pieces.append(r"\qquad" if gap > 2 * QUAD else r"\quad")
        if alphabet:
            pieces.append(_symbols(run))
        else:
            pieces.extend(sized.get(id(part)) or latex_of(part) for part in run)
        end = max(part.box.x1 for part in run)
    return DOTS.sub(lambda dots: r"\ldots " if dots[0][0] == "." else r"\cdots ", joined(pieces)).strip()


def _runs(parts: Sequence[Part]) -> list[tuple[str, Part, int]]:
    """Each part with its alphabet and the number of its run: runs end where the alphabet changes or a gap is wide."""
    runs: list[tuple[str, Part, int]] = []
    number = 0
    for k, part in enumerate(parts):
        alphabet = part.node.alphabet if isinstance(part.node, Symbol) else ""
        if k:
            gap = (part.box.x0 - parts[k - 1].box.x1) / max(1.0, part.size)
            other = runs[-1][0] != alphabet or not alphabet
            number += other or gap > (QUAD if alphabet == "mathrm" else WORD)
        runs.append((alphabet, part, number))
    return runs


def _symbols(run: Sequence[Part]) -> str:
    """Glyphs of one alphabet; upright words are text."""
    nodes = [part.node for part in run if isinstance(part.node, Symbol)]
    alphabet = nodes[0].alphabet
    pieces: list[str] = []
    has_space = False
    for k, (part, node) in enumerate(zip(run, nodes, strict=True)):
        if k and (part.box.x0 - run[k - 1].box.x1) > SPACE * part.size:
            pieces.append(" ")
            has_space = True
        pieces.append(node.latex)
    if not alphabet:
        return joined(pieces)
    return rf"\{'text' if has_space and alphabet == 'mathrm' else alphabet}{{{''.join(pieces)}}}"


def _fenced(parts: Sequence[Part]) -> dict[int, str]:
    """How tall fences are written: in pairs they grow with what they hold, others have a size of their own."""
    written: dict[int, str] = {}
    opened: list[tuple[Part, str]] = []
    for part in parts:
        node = part.node
        fence = node.base if isinstance(node, Scripts) and node.base is not None else part
        if not (isinstance(fence.node, Symbol) and fence.node.text in FENCES and fence.shape == "centered"):
            continue
        text = fence.node.text
        is_closing = text in CLOSING or (text in BARS and any(other == text for _, other in opened))
        if is_closing and opened:
            partner, other = opened.pop()
            written[id(partner)] = rf"\left{_fence(other)}"
            written[id(part)] = rf"\right{_fence(text)}" + (_scripts(node) if isinstance(node, Scripts) else "")
            continue
        command = next((name for least, name in SIZES if fence.box.height >= least * fence.size), "")
        written[id(part)] = command + latex_of(part)
        if not is_closing and node is fence.node and text not in "/":
            opened.append((part, text))
    return written


def joined(pieces: Sequence[str]) -> str:
    """Pieces in a row; a space ends a command that a letter follows."""
    latex = ""
    for piece in pieces:
        if not piece:
            continue
        last = latex[-1:]
        ends_command = last.isalpha() and "\\" in latex and latex[latex.rindex("\\") + 1 :].isalpha()
        latex += (" " if ends_command and piece[0].isalpha() else "") + piece
    return latex.strip()
