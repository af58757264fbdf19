"""Heads of columns: one to three rows, heads over heads, units below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from training.structure.drawings.tables.cell_contents import Column
from training.structure.drawings.tables.grid import Cell, Piece, Row
from training.structure.drawings.tables.plan import Plan
from training.structure.drawings.web.sheet import Sheet


def head_rows(sheet: Sheet, plan: Plan, depth: int) -> list[Row]:
    """Rows of heads; those over several columns have a line of their own, or none."""
    if not depth:
        return []
    rng = sheet.rng
    rows: list[list[Cell]] = [[] for _ in range(depth)]
    rule = rng.choice(["", "border-bottom:.4pt solid;", "border-bottom:.4pt solid;"])
    for _ in range(plan.recipe.repeats):
        for _ in range(plan.num_stubs):
            _add_single(
                rows,
                0,
                _head_pieces(sheet, plan, "start", 1, 3) if sheet.chance(0.65) else (),
                at_foot=sheet.chance(0.5),
            )
        _add_levels(sheet, plan, rows, plan.columns, 0, rule)
    if depth > 1 and not all(any(cell.pieces for cell in cells) for cells in rows):
        return head_rows(sheet, plan, depth - 1)
    heads = [Row("head", tuple(cells)) for cells in rows]
    if sheet.chance(plan.recipe.units):
        heads.append(Row("head", tuple(_unit_cells(sheet, plan))))
    return heads


def _add_levels(
    sheet: Sheet, plan: Plan, rows: list[list[Cell]], columns: Sequence[Column], level: int, rule: str
) -> None:
    """Writes the heads of columns from a level of heads down."""
    if level == len(rows) - 1:
        for column in columns:
            pieces = _head_pieces(sheet, plan, column.align, 1, sheet.rng.choice([1, 2, 4]))
            lowest = tuple(replace(piece, css=f"{piece.css}{plan.lowest_head_css}") for piece in pieces)
            rows[level].append(Cell(pieces=lowest))
        return
    first = 0
    while first < len(columns):
        span = min(len(columns) - first, sheet.rng.choice([1, 2, 2, 3, 4, 6]))
        under = columns[first : first + span]
        if span == 1:
            _add_single(rows, level, _head_pieces(sheet, plan, under[0].align, 1, 2), at_foot=sheet.chance(0.5))
        else:
            align = sheet.rng.choice(["center", "center", "center", "start"])
            rows[level].append(Cell(pieces=_head_pieces(sheet, plan, align, 1, 4), num_columns=span, rule=rule))
            _add_levels(sheet, plan, rows, under, level + 1, rule)
        first += span


def _add_single(rows: list[list[Cell]], level: int, pieces: tuple[Piece, ...], *, at_foot: bool) -> None:
    """A head of one column: over all rows that are left, or in the last of them under empty cells."""
    if at_foot:
        for row in rows[level:-1]:
            row.append(Cell())
        rows[-1].append(Cell(pieces=pieces))
    else:
        rows[level].append(Cell(pieces=pieces, num_rows=len(rows) - level))


def _head_pieces(sheet: Sheet, plan: Plan, align: str, low: int, high: int) -> tuple[Piece, ...]:
    rng, words = sheet.rng, sheet.words
    text = words.phrase(low, high)
    if rng.random() < 0.2:
        text = rng.choice(
            [str(rng.randint(1980, 2026)), words.date(), f"Q{rng.randint(1, 4)}", f"({rng.randint(1, 12)})"]
        )
    elif " " in text and rng.random() < 0.2:
        text = text.replace(" ", "<br>")
    if rng.random() < 0.05:
        text += f"<sup>{rng.choice('123ab')}</sup>"
    return (Piece(text=text, css=f"{plan.head_css}text-align:{align};"),)


def _unit_cells(sheet: Sheet, plan: Plan) -> list[Cell]:
    """Units, or numbers of columns, each in its column, or one unit over all of them."""
    rng = sheet.rng
    form = rng.choice(["span", "each", "number"])
    cells: list[Cell] = []
    for _ in range(plan.recipe.repeats):
        cells += [Cell()] * plan.num_stubs
        if form == "span" and len(plan.columns) > 1:
            text = "(In thousands)" if sheet.words.english else f"({sheet.words.phrase(1, 3)})"
            cells.append(Cell(pieces=(Piece(text=text, css="text-align:center;"),), num_columns=len(plan.columns)))
            continue
        for index, column in enumerate(plan.columns, 1):
            text = (
                f"({index})" if form == "number" else rng.choice(["(%)", "(kg)", "mm", "[°C]", "€", "(n)", "10³", ""])
            )
            pieces = (Piece(text=text, css=f"text-align:{column.align};"),) if text else ()
            cells.append(Cell(pieces=pieces))
    return cells
