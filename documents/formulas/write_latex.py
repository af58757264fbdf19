"""Writes the tree of a formula as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
from documents.text.math_symbols import CLOSING_FENCES, FENCES, latex_of_character

DOTS = re.compile(r"\.\.\.|(?:\\cdot *){3}(?![a-zA-Z])")
# a gap between parts of this width, in type sizes, is written as a space; one of twice the width as two
MIN_QUAD_GAP = 0.9
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
        case Symbol(latex=latex, alphabet=alphabet):
            return rf"\{alphabet}{{{latex}}}" if alphabet else latex
        case Name(text=text):
            return rf"\operatorname{{{text}}}" if text in ("argmax", "argmin") else "\\" + text
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
    left, right = (_fence(fence) if fence else "." for fence in fences)
    return rf"\left{left} {inner} \right{right}"


def _fence(text: str) -> str:
    return "|" if text == "∣" else r"\|" if text in "‖∥" else latex_of_character(text) or text


def _row(parts: Sequence[Part]) -> str:
    """Parts side by side; letters of one alphabet are written together, wide gaps as spaces."""
    sized = _fenced(parts)
    pieces: list[str] = []
    runs = list(_runs(parts))
    for k, run in enumerate(runs):
        before = _gap(runs[k - 1], run) if k else 0.0
        after = _gap(run, runs[k + 1]) if k + 1 < len(runs) else 0.0
        if before > MIN_QUAD_GAP:
            pieces.append(r" \qquad " if before > 2 * MIN_QUAD_GAP else r" \quad ")
        elif before > SPACE:
            pieces.append(" ")
        if _alphabet(run[0]):
            pieces.append(_letters(run, SPACE < before <= MIN_QUAD_GAP, SPACE < after <= MIN_QUAD_GAP))
        else:
            pieces.append(sized.get(id(run[0])) or latex_of(run[0]))
    return DOTS.sub(lambda dots: r"\ldots " if dots[0][0] == "." else r"\cdots ", joined(pieces)).strip()


def _alphabet(part: Part) -> str:
    return part.node.alphabet if isinstance(part.node, Symbol) else ""


def _gap(left: Sequence[Part], right: Sequence[Part]) -> float:
    """Between two runs, in sizes of the type."""
    return (right[0].box.x0 - left[-1].box.x1) / max(1.0, right[0].size)


def _runs(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Letters of one alphabet and word, or one part: upright letters are several words as long as no gap is wide."""
    run: list[Part] = []
    for part in parts:
        alphabet = _alphabet(part)
        if run and not (
            alphabet
            and _alphabet(run[-1]) == alphabet
            and _gap(run, [part]) <= (MIN_QUAD_GAP if alphabet == "mathrm" else WORD)
        ):
            yield run
            run = []
        run.append(part)
    if run:
        yield run


def _letters(run: Sequence[Part], has_space_before: bool, has_space_after: bool) -> str:
    """Letters of one alphabet; upright words, with the spaces around them, are text."""
    text = ""
    for k, part in enumerate(run):
        text += " " if k and _gap([run[k - 1]], [part]) > SPACE else ""
        text += part.node.latex if isinstance(part.node, Symbol) else ""
    alphabet = _alphabet(run[0])
    if alphabet != "mathrm" or len(run) == 1 or not (" " in text or has_space_before or has_space_after):
        return rf"\{alphabet}{{{text}}}"
    return rf"\text{{{' ' * has_space_before}{text}{' ' * has_space_after}}}"


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
        is_closing = text in CLOSING_FENCES or (text in BARS and any(other == text for _, other in opened))
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
    return " ".join(latex.split())
