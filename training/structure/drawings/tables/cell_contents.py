"""What the cells of one column say: numbers of one form, names, texts, lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.structure.drawings.tables.grid import Piece
from training.structure.drawings.web.sheet import Sheet

Kind = Literal[
    "word", "phrase", "text", "essay", "items", "paragraphs", "integer", "decimal", "percent", "money", "year", "date",
    "time", "mark", "code", "range", "deviation", "two numbers",
]  # fmt: skip
MIN_WIDTH_EM: dict[Kind, float] = {  # of a column of each kind
    "word": 5, "phrase": 8, "text": 12, "essay": 16, "items": 13, "paragraphs": 17, "integer": 4, "decimal": 3.5,
    "percent": 3.5, "money": 6, "year": 3, "date": 7, "time": 3.2, "mark": 2.5, "code": 4, "range": 4.5,
    "deviation": 6, "two numbers": 4.5,
}  # fmt: skip
TEXT_KINDS = frozenset[Kind]({"word", "phrase", "text", "essay", "items", "paragraphs"})
CENTRED_KINDS = frozenset[Kind]({"mark", "time", "year", "code"})
EMPTY_VALUES = ("", "", "—", "–", "-", "n/a", "N/A", "..", "*", "0", "...", "(a)", "(D)", "×")
ARABIC_DIGITS = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
BULLETS = "•–▪-*◦"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The form that the values of a column share."""

    kind: Kind
    align: str  # start, center or end
    decimals: int
    max_digits: float
    prefix: str  # "$"
    suffix: str  # "%"
    negative: str  # "(" for parentheses, else the sign
    empty_value: str
    empty_share: float  # of the cells
    bullet: str
    is_arabic: bool  # its digits
    second_ink: int  # of the smaller number below the first

    @property
    def suffix_em(self) -> float:
        return 0.7 if self.suffix or self.negative == "(" else 0.0


def random_column(sheet: Sheet, kind: Kind, empty_share: float) -> Column:
    rng = sheet.rng
    if kind in TEXT_KINDS:
        align = rng.choices(["start", "center", "end"], [85, 13, 2])[0]
    else:
        align = rng.choices(["start", "center", "end"], [10, 75, 15] if kind in CENTRED_KINDS else [8, 22, 70])[0]
    return Column(
        kind=kind,
        align=align,
        decimals=rng.choice([1, 1, 2, 3]),
        max_digits=rng.choice([1.5, 2, 3, 3, 4, 5, 6, 8]),
        prefix=rng.choice(["$", "$", "$", "€", "£", "¥"]) if kind == "money" and sheet.chance(0.7) else "",
        suffix="%" if kind == "percent" and sheet.chance(0.4) else "",
        negative=rng.choice(["(", "(", "-", "−"]),
        empty_value=rng.choice(EMPTY_VALUES),
        empty_share=empty_share,
        bullet=rng.choice(BULLETS),
        is_arabic=sheet.words.language.script == "arabic" and sheet.chance(0.25),
        second_ink=rng.choice([0x000000, 0x606060, 0x808080]),
    )


def cell_pieces(sheet: Sheet, column: Column, *, with_prefix: bool = False) -> tuple[Piece, ...]:
    """The pieces of one cell; none where the cell is blank."""
    rng = sheet.rng
    if rng.random() < column.empty_share:
        text = column.empty_value if sheet.chance(0.85) else rng.choice(EMPTY_VALUES)
        return (_number_piece(column, text, ""),) if text else ()
    match column.kind:
        case "items":
            text_of = (lambda: sheet.words.text(15, 60)) if sheet.chance(0.5) else (lambda: sheet.words.phrase(1, 5))
            css = "padding-inline-start:1em;text-indent:-1em;"
            return tuple(Piece(text=f"{column.bullet} {text_of()}", css=css) for _ in range(rng.randint(1, 4)))
        case "paragraphs":
            css = f"margin-bottom:{rng.choice([0, 0.2, 0.4])}em;"
            return tuple(Piece(text=sheet.words.text(30, 150), css=css) for _ in range(rng.randint(1, 3)))
        case kind if kind in TEXT_KINDS:
            return (Piece(text=_text(sheet, kind)),)
        case "two numbers":
            first = f"{_magnitude(sheet, column):.{column.decimals}f}{rng.choice(['', '', '*', '**', '***'])}"
            small = f"({rng.uniform(0, 9):.{column.decimals}f})"
            return (Piece(text=first), Piece(text=small, css="font-size:.85em;", ink=column.second_ink))
        case _:
            text, suffix = _number_text(sheet, column)
            if column.is_arabic:
                text = text.translate(ARABIC_DIGITS)
            mark = f"<sup>{rng.choice('1234abc*†')}</sup>" if rng.random() < 0.015 else ""
            return (_number_piece(column, text + mark, suffix, column.prefix if with_prefix else ""),)


def _number_piece(column: Column, text: str, suffix: str, prefix: str = "") -> Piece:
    is_aligned = column.align == "end" and column.kind in ("money", "percent", "integer", "decimal")
    if not is_aligned:
        return Piece(text=prefix + text + suffix, css="white-space:nowrap;")
    return Piece(text=text, prefix=prefix, suffix=suffix, suffix_em=column.suffix_em)


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


def _number_text(sheet: Sheet, column: Column) -> tuple[str, str]:
    """A number and what closes it."""
    rng = sheet.rng
    magnitude = _magnitude(sheet, column)
    match column.kind:
        case "integer" | "money":
            text = f"{magnitude:,.{2 if column.kind == 'money' and column.decimals == 2 else 0}f}"
            return _signed(column, text) if rng.random() < 0.15 else (text, "")
        case "decimal":
            text = f"{magnitude % 1000:.{column.decimals}f}"
            return _signed(column, text) if rng.random() < 0.1 else (text, "")
        case "percent":
            return f"{rng.uniform(0, 100):.{column.decimals - 1}f}", column.suffix or "%"
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
            return f"{magnitude % 100:.{column.decimals}f} ± {rng.uniform(0, 3):.{column.decimals}f}", ""


def _magnitude(sheet: Sheet, column: Column) -> float:
    return sheet.rng.uniform(0, 10 ** sheet.rng.uniform(min(0.7, column.max_digits - 0.5), column.max_digits))


def _signed(column: Column, text: str) -> tuple[str, str]:
    return (f"({text}", ")") if column.negative == "(" else (column.negative + text, "")
