"""What the cells of one column say: numbers of one form, names, texts, lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.structure.drawings.tables.grid import Piece
from training.structure.drawings.web.sheet import Sheet

Kind = Literal[
    "word", "phrase", "text", "essay", "items", "paragraphs", "integer", "decimal", "percent", "money", "year", "date",
    "time", "mark", "code", "range", "deviation", "twofold",
]  # fmt: skip
ROOM_EM: dict[Kind, float] = {  # that a column of a kind needs at least
    "word": 5, "phrase": 8, "text": 12, "essay": 16, "items": 13, "paragraphs": 17, "integer": 4, "decimal": 3.5,
    "percent": 3.5, "money": 6, "year": 3, "date": 7, "time": 3.2, "mark": 2.5, "code": 4, "range": 4.5,
    "deviation": 6, "twofold": 4.5,
}  # fmt: skip
TEXTS = frozenset[Kind]({"word", "phrase", "text", "essay", "items", "paragraphs"})
CENTRED = frozenset[Kind]({"mark", "time", "year", "code"})
EMPTY = ("", "", "—", "–", "-", "n/a", "N/A", "..", "*", "0", "...", "(a)", "(D)", "×")
ARABIC_DIGITS = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
BULLETS = "•–▪-*◦"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The form that the values of a column share."""

    kind: Kind
    side: str  # start, center or end
    decimals: int
    digits: float  # of the largest number
    lead: str
    tail: str
    negative: str  # "(" for parentheses, else the sign
    empty: str
    blanks: float  # share of cells without a value
    bullet: str
    is_arabic: bool  # its digits
    small_ink: int  # of what stands small below a number

    @property
    def tail_em(self) -> float:
        return 0.7 if self.tail or self.negative == "(" else 0.0


def some_column(sheet: Sheet, kind: Kind, blanks: float) -> Column:
    rng = sheet.rng
    if kind in TEXTS:
        side = rng.choices(["start", "center", "end"], [85, 13, 2])[0]
    else:
        side = rng.choices(["start", "center", "end"], [10, 75, 15] if kind in CENTRED else [8, 22, 70])[0]
    return Column(
        kind=kind,
        side=side,
        decimals=rng.choice([1, 1, 2, 3]),
        digits=rng.choice([1.5, 2, 3, 3, 4, 5, 6, 8]),
        lead=rng.choice(["$", "$", "$", "€", "£", "¥"]) if kind == "money" and sheet.chance(0.7) else "",
        tail="%" if kind == "percent" and sheet.chance(0.4) else "",
        negative=rng.choice(["(", "(", "-", "−"]),
        empty=rng.choice(EMPTY),
        blanks=blanks,
        bullet=rng.choice(BULLETS),
        is_arabic=sheet.words.language.script == "arabic" and sheet.chance(0.25),
        small_ink=rng.choice([0x000000, 0x606060, 0x808080]),
    )


def value(sheet: Sheet, column: Column, *, with_lead: bool = False) -> tuple[Piece, ...]:
    """The pieces of one cell; none where the cell is blank."""
    rng = sheet.rng
    if rng.random() < column.blanks:
        text = column.empty if sheet.chance(0.85) else rng.choice(EMPTY)
        return (_number(column, text, ""),) if text else ()
    match column.kind:
        case "items":
            text_of = (lambda: sheet.words.text(15, 60)) if sheet.chance(0.5) else (lambda: sheet.words.phrase(1, 5))
            css = "padding-inline-start:1em;text-indent:-1em;"
            return tuple(Piece(text=f"{column.bullet} {text_of()}", css=css) for _ in range(rng.randint(1, 4)))
        case "paragraphs":
            css = f"margin-bottom:{rng.choice([0, 0.2, 0.4])}em;"
            return tuple(Piece(text=sheet.words.text(30, 150), css=css) for _ in range(rng.randint(1, 3)))
        case kind if kind in TEXTS:
            return (Piece(text=_text(sheet, kind)),)
        case "twofold":
            first = f"{_size(sheet, column):.{column.decimals}f}{rng.choice(['', '', '*', '**', '***'])}"
            small = f"({rng.uniform(0, 9):.{column.decimals}f})"
            return (Piece(text=first), Piece(text=small, css="font-size:.85em;", ink=column.small_ink))
        case _:
            text, tail = _figure(sheet, column)
            if column.is_arabic:
                text = text.translate(ARABIC_DIGITS)
            mark = f"<sup>{rng.choice('1234abc*†')}</sup>" if rng.random() < 0.015 else ""
            return (_number(column, text + mark, tail, column.lead if with_lead else ""),)


def _number(column: Column, text: str, tail: str, lead: str = "") -> Piece:
    is_set_apart = column.side == "end" and column.kind in ("money", "percent", "integer", "decimal")
    if not is_set_apart:
        return Piece(text=lead + text + tail, css="white-space:nowrap;")
    return Piece(text=text, lead=lead, tail=tail, tail_em=column.tail_em)


def _text(sheet: Sheet, kind: Kind) -> str:
    words = sheet.words
    match kind:
        case "word":
            return words.name()
        case "phrase":
            return words.phrase(1, sheet.rng.choice([2, 3, 5]))
        case "text":
            return words.text(20, sheet.rng.choice([50, 90, 140]))
        case _:
            return words.text(60, sheet.rng.choice([140, 220, 320]))


def _figure(sheet: Sheet, column: Column) -> tuple[str, str]:
    """A number and what closes it."""
    rng = sheet.rng
    size = _size(sheet, column)
    match column.kind:
        case "integer" | "money":
            text = f"{size:,.{2 if column.kind == 'money' and column.decimals == 2 else 0}f}"
            return _signed(column, text) if rng.random() < 0.15 else (text, "")
        case "decimal":
            text = f"{size % 1000:.{column.decimals}f}"
            return _signed(column, text) if rng.random() < 0.1 else (text, "")
        case "percent":
            return f"{rng.uniform(0, 100):.{column.decimals - 1}f}", column.tail or "%"
        case "year":
            return str(rng.randint(1950, 2026)), ""
        case "date":
            return sheet.words.date(), ""
        case "time":
            return f"{rng.randint(0, 23):02d}{'.:'[column.decimals % 2]}{rng.randint(0, 59):02d}", ""
        case "mark":
            return rng.choice("✓✓×–ABC●○"), ""
        case "code":
            return f"{rng.choice('ABCDEFGHKLMNPRSTVX')}{rng.choice(['', '-', ' '])}{rng.randint(1, 999)}", ""
        case "range":
            return f"{rng.randint(1, 40)}–{rng.randint(41, 99)}", ""
        case _:
            return f"{size % 100:.{column.decimals}f} ± {rng.uniform(0, 3):.{column.decimals}f}", ""


def _size(sheet: Sheet, column: Column) -> float:
    return sheet.rng.uniform(0, 10 ** sheet.rng.uniform(min(0.7, column.digits - 0.5), column.digits))


def _signed(column: Column, text: str) -> tuple[str, str]:
    return (f"({text}", ")") if column.negative == "(" else (column.negative + text, "")
