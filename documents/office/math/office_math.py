"""Reads Office Math (OMML equations): as LaTeX, and as plain characters on one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from documents.office.math.math_latex import Latex
from documents.office.math.math_text import PlainText
from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, children, name_of


class Notation(Protocol):
    """How the parts of a formula are written; None stands for the usual bracket or for no script."""

    def joined(self, parts: Sequence[str]) -> str: ...
    def text(self, text: str) -> str: ...
    def run(self, text: str, *, is_upright: bool, is_words: bool) -> str: ...
    def fraction(self, numerator: str, denominator: str, kind: str | None) -> str: ...
    def scripts(self, base: str, below: str | None, above: str | None) -> str: ...
    def scripts_before(self, base: str, below: str, above: str) -> str: ...
    def root(self, degree: str, inner: str) -> str: ...
    def operator(self, sign: str, below: str, above: str, inner: str) -> str: ...
    def delimited(self, left: str | None, right: str | None, between: str, parts: Sequence[str]) -> str: ...
    def function(self, name: str, inner: str) -> str: ...
    def matrix(self, rows: Sequence[Sequence[str]]) -> str: ...
    def lines(self, rows: Sequence[str]) -> str: ...
    def accent(self, sign: str, inner: str) -> str: ...
    def bar(self, inner: str, *, is_above: bool) -> str: ...
    def group(self, sign: str, inner: str) -> str: ...
    def limit(self, base: str, limit: str, *, is_above: bool) -> str: ...


def latex_of(math: Element) -> str:
    r"""The LaTeX of an `oMath`, without dollars; several lines of it are parted by `\\`."""
    return " ".join(_written(math, Latex(), 0).split())


def text_of(math: Element) -> str:
    """The same in plain characters, on one line."""
    return " ".join(_written(math, PlainText(), 0).split())


def _written(element: Element | None, notation: Notation, depth: int) -> str:
    """All parts of an element, one after the other."""
    if element is None or depth > MAX_DEPTH:
        return ""
    return notation.joined([_part(node, notation, depth + 1) for node in element])


def _part(element: Element, notation: Notation, depth: int) -> str:
    def of(name: str) -> str:
        return _written(child(element, name), notation, depth)

    def setting(name: str, default: str) -> str:
        return attribute(child(element, f"{name_of(element)}Pr", name), "val") or default

    match name_of(element):
        case "r":
            return _run(element, notation)
        case "t":
            return notation.text(element.text or "")
        case "f":
            return notation.fraction(of("num"), of("den"), setting("type", ""))
        case "sSup":
            return notation.scripts(of("e"), None, of("sup"))
        case "sSub":
            return notation.scripts(of("e"), of("sub"), None)
        case "sSubSup":
            return notation.scripts(of("e"), of("sub"), of("sup"))
        case "sPre":
            return notation.scripts_before(of("e"), of("sub"), of("sup"))
        case "rad":
            return notation.root(of("deg"), of("e"))
        case "nary":
            return notation.operator(setting("chr", "∫"), of("sub"), of("sup"), of("e"))
        case "d":
            return _delimited(element, notation, depth)
        case "func":
            return notation.function(of("fName"), of("e"))
        case "m":
            rows = children(element, "mr")
            return notation.matrix([[_written(e, notation, depth) for e in children(row, "e")] for row in rows])
        case "eqArr":
            return notation.lines([_written(row, notation, depth) for row in children(element, "e")])
        case "acc":
            return notation.accent(setting("chr", "\u0302"), of("e"))
        case "bar":
            return notation.bar(of("e"), is_above=setting("pos", "") == "top")
        case "groupChr":
            return notation.group(setting("chr", "⏟"), of("e"))
        case "limLow" | "limUpp":
            return notation.limit(of("e"), of("lim"), is_above=name_of(element) == "limUpp")
        case name if name.endswith("Pr") or name in ("del", "moveFrom"):
            return ""
        case _:
            return _written(element, notation, depth)


def _run(run: Element, notation: Notation) -> str:
    text = "".join(node.text or "" for node in children(run, "t"))
    is_upright = attribute(child(run, "rPr", "sty"), "val") == "p"
    return notation.run(text, is_upright=is_upright, is_words=child(run, "rPr", "nor") is not None)


def _delimited(element: Element, notation: Notation, depth: int) -> str:
    settings = child(element, "dPr")

    def fence(name: str) -> str | None:
        node = child(settings, name)
        return None if node is None else attribute(node, "val") or ""

    between = attribute(child(settings, "sepChr"), "val") or "|"
    parts = [_written(node, notation, depth) for node in children(element, "e")]
    return notation.delimited(fence("begChr"), fence("endChr"), between, parts)
