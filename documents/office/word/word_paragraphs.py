"""Reads the paragraphs of a DOCX with its styles, lists and notes: one by one, or all of a cell, note or header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, name_of
from documents.office.packages.zip_package import Package, Relation
from documents.office.paragraph_text import Words, WordsWriter, joined_words
from documents.office.word.word_changes import Changes
from documents.office.word.word_comments import MarkedWords
from documents.office.word.word_notes import WordNotes
from documents.office.word.word_runs import Runs
from documents.office.word.word_styles import Style, default_style, numbering_of, numbering_reference, styles_of
from documents.office.word.word_tables import WRAPPERS, is_grid, within


class WordParagraphs:
    """Numbers of lists go on from one paragraph to the next, in whichever part it stands."""

    def __init__(self, package: Package, related: Mapping[str, str], notes: WordNotes) -> None:
        """`related` are the parts of the document by the kind of their relation."""
        styles = package.soft_xml(related.get("styles"))
        self._package = package
        self._notes = notes
        self._styles = styles_of(styles)
        self._default = default_style(styles)
        self._numbering = numbering_of(package.soft_xml(related.get("numbering")))
        self.changes = Changes()
        self.marked = MarkedWords()

    def style(self, settings: Element | None) -> Style:
        name = attribute(child(settings, "pStyle"), "val") or self._default or ""
        return self._styles.get(name) or Style()

    def marker(self, settings: Element | None, style: Style) -> tuple[str | None, int]:
        """What the list that a paragraph is of puts before it, and the list's level from 1."""
        reference = numbering_reference(settings)
        if reference is not None and style.numbering is not None and not reference[0]:
            reference = style.numbering[0], reference[1]
        name, depth = reference or style.numbering or ("0", 0)
        return (None, 1) if name in ("", "0") else (self._numbering.marker(name, depth), depth + 1)

    def runs(
        self, relations: Mapping[str, Relation], style: Style | None = None, marked: MarkedWords | None = None
    ) -> Runs:
        """What reads the runs of a paragraph, or of several; `marked` unset: of those that comments may mark."""
        style = style or Style()
        words = WordsWriter(keep_spaces=style.is_code)
        return Runs(
            self._package, relations, self.changes, self._notes.marks, self._styles, marked or self.marked, words, style
        )

    def lines(self, container: Element, relations: Mapping[str, Relation]) -> Runs:
        """All paragraphs within, a line each; those of a text box stand behind the paragraph that holds it."""
        runs = self.runs(relations, marked=MarkedWords())
        self._add_lines(container, runs, 0)
        return runs

    def _add_lines(self, container: Element, runs: Runs, depth: int) -> None:
        for paragraph in _paragraphs(container, 0):
            runs.words.add("\n")
            runs.read(paragraph, style=self.style(child(paragraph, "pPr")))
            for latex, text in runs.formulas:
                runs.words.formula(latex, text)
            runs.formulas = []
            boxes, runs.boxes = runs.boxes, []
            for box in boxes if depth < MAX_DEPTH else ():
                self._add_lines(box, runs, depth + 1)

    def cell_text(self, cell: Element, beside: Runs, depth: int = 0) -> Words:
        """The paragraphs of a cell, a line each; what is no text of them goes to `beside`, so do tables."""
        lines: list[Words] = []
        num_tables = 0
        for node in cell:
            match name_of(node):
                case "p":
                    lines.append(self._line(node, beside))
                case "tbl":
                    num_tables += 1
                    if is_grid(node):
                        beside.tables.append((f"tbl[{num_tables}]", node))
                    elif depth < MAX_DEPTH:
                        lines += self._rows_text(node, beside, depth + 1)
                case "altChunk":
                    beside.chunks.append(attribute(node, "id") or "")
                case name if name in WRAPPERS and depth < MAX_DEPTH:
                    lines.append(self.cell_text(node, beside, depth + 1))
                case _:
                    continue
        return joined_words(lines)

    def _rows_text(self, table: Element, beside: Runs, depth: int) -> Iterator[Words]:
        """The rows of a table that is too small to be one of its own, a line each."""
        for row in within(table, "tr"):
            yield joined_words((self.cell_text(cell, beside, depth) for cell in within(row, "tc")), " ")

    def _line(self, paragraph: Element, beside: Runs) -> Words:
        settings = child(paragraph, "pPr")
        style = self.style(settings)
        marker, _ = self.marker(settings, style)
        runs = self.runs(beside.relations, style)
        runs.read(paragraph)
        beside.take(runs)
        for latex, text in runs.formulas:
            runs.words.add(" ")
            runs.words.formula(latex, text)
        words = runs.words.words()
        return words.after(f"{marker} ") if marker and words.text else words


def _paragraphs(container: Element, depth: int) -> Iterator[Element]:
    """All within that are not in one another; of alternatives, those of the first."""
    for node in container if depth <= MAX_DEPTH else ():
        if name_of(node) == "p":
            yield node
        elif name_of(node) == "AlternateContent":
            choice = child(node, "Choice")
            branch = choice if choice is not None else child(node, "Fallback")
            if branch is not None:
                yield from _paragraphs(branch, depth + 1)
        else:
            yield from _paragraphs(node, depth + 1)
