"""Documents of our own drawing whose headings are known: many ways to set them, and much that only looks like one."""

from __future__ import annotations

import html
import io
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pymupdf

from training.layout.pages.words import WORDS

SIZES = ((612, 792), (595, 842), (842, 595))
FONTS = ("sans-serif", "serif", "Times", "Helvetica")
DARK = ("#1f3864", "#2e74b5", "#7a1f1f", "#1b5e20", "#444444", "#00695c")
MOST_PAGES = 8


@dataclass(slots=True)
class DrawnDocument:
    """A PDF, and the texts of its headings in their order, each with its level."""

    content: bytes
    headings: list[tuple[str, int]]


@dataclass(slots=True)
class _Look:
    """How one document sets its text."""

    r: random.Random
    body: float = 10.0
    css: list[str] = field(default_factory=list)
    numbered: bool = False
    columns: int = 1


def draw(seed: int) -> DrawnDocument:
    """The same for the same seed."""
    r = random.Random(seed)
    look = _look(r)
    writer = _Writer(look)
    writer.document()
    size = r.choice(SIZES[:2] if look.columns > 1 else SIZES)
    story = pymupdf.Story(f"<style>{' '.join(look.css)}</style><body>{''.join(writer.parts)}</body>")
    return DrawnDocument(_placed(story, size, look), writer.headings)


def _placed(story: pymupdf.Story, size: tuple[int, int], look: _Look) -> bytes:
    """The story set on pages of one or two columns."""
    r, out = look.r, io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    margin = r.choice((40, 54, 72))
    gutter = 18
    width = (size[0] - 2 * margin - gutter * (look.columns - 1)) / look.columns
    more, number = True, 0
    while more and number < MOST_PAGES:
        device = writer.begin_page(pymupdf.Rect(0, 0, *size))
        for column in range(look.columns):
            left = margin + column * (width + gutter)
            if more:
                more, _ = story.place(pymupdf.Rect(left, margin, left + width, size[1] - margin))
                story.draw(device)
        writer.end_page()
        number += 1
    writer.close()
    return out.getvalue()


def _look(r: random.Random) -> _Look:
    look = _Look(r)
    look.body = r.choice((8, 9, 9.5, 10, 10.5, 11, 12))
    look.numbered = r.random() < 0.35
    look.columns = 2 if r.random() < 0.3 else 1
    family, heading_family = r.choice(FONTS), r.choice(FONTS)
    align = r.choice(("left", "justify"))
    look.css = [f"body {{font-family: {family}; font-size: {look.body}pt; line-height: {r.uniform(1.1, 1.6):.2f}}}"]
    look.css += [f"p {{text-align: {align}; margin: {r.choice((0, 3, 6, 9))}pt 0}}", "td {padding: 2pt 6pt}"]
    ratio = r.choice((1.0, 1.0, 1.05, 1.1, 1.2, 1.35))
    plain = r.random() < 0.25  # neither bold: size or colour alone tells
    for level in (4, 3, 2, 1):
        size = look.body * ratio
        bold = not plain or size < 1.08 * look.body
        colour = r.choice(DARK) if r.random() < 0.4 or (plain and size < 1.15 * look.body) else "black"
        italic = "italic" if r.random() < 0.15 else "normal"
        space = r.choice((2, 6, 10, 16)), r.choice((0, 2, 4, 8))
        centre = "center" if r.random() < 0.12 else "left"
        look.css.append(
            f"h{level} {{font-family: {heading_family}; font-size: {size:.1f}pt; color: {colour}; font-style: {italic};"
            f" font-weight: {'bold' if bold else 'normal'}; text-align: {centre};"
            f" margin: {space[0]}pt 0 {space[1]}pt 0}}"
        )
        ratio *= r.choice((1.0, 1.1, 1.2, 1.35))
    return look


class _Writer:
    """HTML of one document, and its headings."""

    def __init__(self, look: _Look) -> None:
        self.look, self.r = look, look.r
        self.parts: list[str] = []
        self.headings: list[tuple[str, int]] = []
        self._numbers = [0, 0, 0, 0]
        self._caps = {level for level in (1, 2, 3, 4) if self.r.random() < 0.15}

    def document(self) -> None:
        r = self.r
        if r.random() < 0.7:
            self._heading(1, numbered=False)
            if r.random() < 0.4:
                self.parts.append(f"<p>{self._title(2, 4)}<br/>{self._words(2, 5)}</p>")
        common: list[Callable[[], None]] = [self._paragraph] * 6 + [self._list] * 2
        odd = [self._bold_line, self._run_in, self._table, self._caption, self._form, self._quotation, self._address]
        elements = common + r.sample(odd, k=r.randint(1, 5))
        for _ in range(r.randint(3, 9)):
            self._heading(2)
            if r.random() < 0.12:
                self._heading(3)  # right below
            for _ in range(r.randint(1, 4)):
                r.choice(elements)()
            for _ in range(r.choice((0, 0, 1, 2, 3))):
                self._heading(r.choice((3, 3, 4)))
                for _ in range(r.randint(1, 3)):
                    r.choice(elements)()

    def _heading(self, level: int, *, numbered: bool | None = None) -> None:
        r = self.r
        text = self._title(1, r.choice((3, 5, 8, 16)))
        if r.random() < 0.08:
            text += "?"
        if level in self._caps:
            text = text.upper()
        if self.look.numbered if numbered is None else numbered:
            place = max(0, level - 2)
            self._numbers[place] += 1
            self._numbers[place + 1 :] = [0] * (3 - place)
            text = f"{'.'.join(str(max(1, n)) for n in self._numbers[: place + 1])}{r.choice(('', '.'))} {text}"
        self.headings.append((text, level))
        self.parts.append(f"<h{level}>{html.escape(text)}</h{level}>")

    def _paragraph(self) -> None:
        self.parts.append(f"<p>{self._sentences(1, 6)}</p>")

    def _list(self) -> None:
        r = self.r
        tag = r.choice(("ul", "ol"))
        short = r.random() < 0.4
        bold = "b" if r.random() < 0.12 else "span"
        texts = [self._words(1, 6) if short else self._sentences(1, 2) for _ in range(r.randint(2, 6))]
        self.parts.append(f"<{tag}>{''.join(f'<li><{bold}>{text}</{bold}></li>' for text in texts)}</{tag}>")

    def _bold_line(self) -> None:
        """Emphasis, or the words before a list: bold, and no heading."""
        ending = self.r.choice((":", ".", ":", "!"))
        self.parts.append(f"<p><b>{self._words(3, 12).capitalize()}{ending}</b></p>")
        self._list() if self.r.random() < 0.6 else self._paragraph()

    def _run_in(self) -> None:
        self.parts.append(f"<p><b>{self._title(1, 3)}.</b> {self._sentences(1, 4)}</p>")

    def _table(self) -> None:
        r = self.r
        num = r.randint(2, 5)
        rows = ["".join(f"<td><b>{self._title(1, 2)}</b></td>" for _ in range(num))]
        for _ in range(r.randint(2, 6)):
            cells = [self._words(1, 2), *(str(r.randint(1, 9999)) for _ in range(num - 1))]
            rows.append("".join(f"<td>{cell}</td>" for cell in cells))
        self.parts.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")

    def _caption(self) -> None:
        r = self.r
        name = f"{r.choice(('Figure', 'Table'))} {r.randint(1, 20)}{r.choice(('.', ':', ''))}"
        bold = r.choice(("b", "i", "span"))
        self.parts.append(f"<p><{bold}>{name} {self._title(2, 7)}</{bold}></p>")

    def _form(self) -> None:
        r = self.r
        rows = [f"<b>{self._title(1, 2)}:</b> {self._words(1, 4)}" for _ in range(r.randint(2, 5))]
        self.parts.extend(f"<p>{row}</p>" for row in rows)

    def _quotation(self) -> None:
        size = self.look.body * self.r.choice((1.0, 1.2, 1.5))
        text = self._sentences(1, 2)
        self.parts.append(f'<p style="font-size: {size:.1f}pt; font-style: italic">“{text}”</p>')

    def _address(self) -> None:
        lines = [self._title(1, 3) for _ in range(self.r.randint(2, 4))]
        bold = self.r.choice(("b", "span"))
        self.parts.append(f"<p><{bold}>{'<br/>'.join(lines)}</{bold}></p>")

    def _words(self, least: int, most: int) -> str:
        return " ".join(self.r.choice(WORDS) for _ in range(self.r.randint(least, most)))

    def _title(self, least: int, most: int) -> str:
        text = self._words(least, most)
        return text.title() if self.r.random() < 0.6 else text.capitalize()

    def _sentences(self, least: int, most: int) -> str:
        return " ".join(self._words(5, 22).capitalize() + "." for _ in range(self.r.randint(least, most)))
