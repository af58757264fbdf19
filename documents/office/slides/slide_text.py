"""Reads the text of a slide's shape, with its bullets and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.office.math.office_math import latex_of, text_of
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of
from documents.office.packages.zip_package import Package, Relation
from documents.office.paragraph_text import Words, WordsWriter, with_rise, without_empty_lines
from documents.office.slides.shape_positions import box_of
from documents.office.word.word_styles import BULLET, PRIVATE_CHARACTERS, bullet_of, written_number
from documents.text.symbol_fonts import in_symbols

BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
LIST_PLACEHOLDERS = ("body", "obj", "subTitle")
Line = tuple[Words, str | None, int]  # words, marker, level


@dataclass(frozen=True, slots=True)
class Placeholders:
    """What a slide's layout and master say of the shapes that stand in for theirs."""

    layout: Element | None
    master: Element | None

    @classmethod
    def of(cls, package: Package, relations: Mapping[str, Relation]) -> Placeholders:
        layout = _related(relations, "slideLayout")
        master = _related(package.relations(layout), "slideMaster") if layout else None
        return cls(package.soft_xml(layout), package.soft_xml(master))

    def box(self, shape: Element) -> BoundingBox | None:
        """The box that the shape inherits."""
        boxes = (box_of(match) for match in self._matching(shape))
        return next((box for box in boxes if box is not None), None)

    def styles(self, shape: Element, level: int) -> Iterator[Element]:
        """Properties of a paragraph on this level (from 0), the nearest first."""
        name = f"lvl{level + 1}pPr"
        for candidate in (shape, *self._matching(shape)):
            own = child(candidate, "txBody", "lstStyle", name)
            if own is not None:
                yield own
        placeholder = _placeholder(shape)
        if placeholder is not None and (attribute(placeholder, "type") or "obj") in LIST_PLACEHOLDERS:
            own = child(self.master, "txStyles", "bodyStyle", name)
            if own is not None:
                yield own

    def _matching(self, shape: Element) -> Iterator[Element]:
        placeholder = _placeholder(shape)
        if placeholder is None:
            return
        index, kind = attribute(placeholder, "idx"), attribute(placeholder, "type")
        for root, by_index in ((self.layout, True), (self.master, False)):
            for candidate in descendants(root, "sp"):
                other = _placeholder(candidate)
                if other is None:
                    continue
                same_index = by_index and index is not None and attribute(other, "idx") == index
                same_kind = (attribute(other, "type") or "body") == (kind or "body").replace("ctrTitle", "title")
                if same_index or (same_kind and (index is None or not by_index)):
                    yield candidate
                    break


def lines_of(
    shape: Element, body: Element, placeholders: Placeholders, relations: Mapping[str, Relation]
) -> list[Line]:
    """Each paragraph with its marker, if it has one, and its level from 1."""
    lines: list[Line] = []
    numbers: dict[int, int] = {}
    for paragraph in children(body, "p"):
        settings = child(paragraph, "pPr")
        text = attribute(settings, "lvl") or "0"
        level = min(8, int(text)) if text.isdecimal() and len(text) < 3 else 0
        words = _words([paragraph], relations)
        bullet, font = _bullet(settings, placeholders.styles(shape, level))
        if not words.text:
            continue
        for deeper in [one for one in numbers if one > level]:
            del numbers[deeper]
        if bullet is not None and name_of(bullet) == "buAutoNum":
            start = attribute(bullet, "startAt") or "1"
            first = int(start) if start.isdecimal() and len(start) < 6 else 1
            numbers[level] = numbers.get(level, first - 1) + 1
        else:
            numbers.pop(level, None)
        lines.append((words, _marker(bullet, font, numbers.get(level, 1)), level + 1))
    return lines


def words_of(body: Element, relations: Mapping[str, Relation]) -> Words:
    """All paragraphs of a text, a line each."""
    return _words(list(children(body, "p")), relations)


def _words(paragraphs: Sequence[Element], relations: Mapping[str, Relation]) -> Words:
    writer = WordsWriter()
    for number, paragraph in enumerate(paragraphs):
        writer.add("\n" if number else None)
        for run in paragraph:
            match name_of(run):
                case "r" | "fld":
                    _add_run(writer, run, relations)
                case "br":
                    writer.add("\n")
                case "AlternateContent" | "m":
                    choice = child(run, "Choice")
                    for math in (run if choice is None else choice).iter("{*}oMath"):
                        writer.formula(latex_of(math), text_of(math))
                case _:
                    continue
    return without_empty_lines(writer.words())


def _add_run(writer: WordsWriter, run: Element, relations: Mapping[str, Relation]) -> None:
    start = writer.num_characters
    settings = child(run, "rPr")
    text = in_symbols("".join(node.text or "" for node in children(run, "t")), _typeface(settings, "latin"))
    symbols = _typeface(settings, "sym")  # of private characters alone
    text = (
        "".join(in_symbols(one, symbols) if ord(one) in PRIVATE_CHARACTERS else one for one in text)
        if symbols
        else text
    )
    baseline = attribute(settings, "baseline") or "0"  # thousandths of a per cent above the line
    rise = None if not baseline.strip("-0%") else "sub" if baseline.startswith("-") else "super"
    writer.add(with_rise(text, rise), struck=_is_struck(settings))
    relation = relations.get(attribute(child(settings, "hlinkClick"), "id") or "")
    writer.link(start, relation.target if relation is not None and relation.is_external else None)


def _is_struck(settings: Element | None) -> bool:
    return attribute(settings, "strike") in ("sngStrike", "dblStrike")


def _typeface(settings: Element | None, kind: str) -> str | None:
    return attribute(child(settings, kind), "typeface")


def _bullet(settings: Element | None, styles: Iterator[Element]) -> tuple[Element | None, str | None]:
    """The bullet of a paragraph, and its font."""
    bullet: Element | None = None
    font: str | None = None
    for level_settings in (settings, *styles):
        font = font or _typeface(level_settings, "buFont")
        for one in level_settings if level_settings is not None and bullet is None else ():
            if name_of(one) in BULLETS:
                bullet = one
    return bullet, font


def _marker(bullet: Element | None, font: str | None, number: int) -> str | None:
    match name_of(bullet) if bullet is not None else "buNone":
        case "buNone":
            return None
        case "buAutoNum":
            kind = attribute(bullet, "type") or "arabicPeriod"
            form = next((form for name, form in FORMS.items() if kind.startswith(name)), "decimal")
            text = written_number(number, form)
            return f"{text})" if "Paren" in kind else f"{text}."
        case "buChar":
            return bullet_of(attribute(bullet, "char") or "", font)
        case _:
            return BULLET


def _placeholder(shape: Element) -> Element | None:
    return next(shape.iter("{*}ph"), None)


def _related(relations: Mapping[str, Relation], kind: str) -> str | None:
    return next(
        (relation.target for relation in relations.values() if relation.kind == kind and not relation.is_external), None
    )
