"""Makes the grid of a recipe: heads over heads, names of rows, groups, sums."""

from __future__ import annotations

from dataclasses import replace

from training.structure.drawings.tables.cell_contents import TEXT_KINDS, cell_pieces
from training.structure.drawings.tables.column_heads import head_rows
from training.structure.drawings.tables.grid import Cell, Grid, Piece, Row
from training.structure.drawings.tables.plan import BOLD, DOUBLE_RULE, Plan, random_plan
from training.structure.drawings.tables.recipes import Recipe
from training.structure.drawings.web.sheet import Sheet


def random_grid(sheet: Sheet, recipe: Recipe, room_em: float, max_rows: int = 60) -> Grid:
    """A table of a recipe that fits into a room (width in em)."""
    plan = random_plan(sheet, recipe, room_em)
    rng = sheet.rng
    num_rows = min(max_rows, rng.randint(*recipe.rows))
    rows = head_rows(sheet, plan, rng.choice(recipe.num_heads))
    num_left = num_rows
    while num_left > 0:
        count = min(num_left, rng.randint(*recipe.group_rows) if plan.group != "none" else num_left)
        rows += _group_rows(sheet, plan, count, is_first=num_left == num_rows)
        num_left -= count
    if sheet.chance(recipe.totals):
        rows.append(_total_row(sheet, plan, is_last=True))
    return Grid(tuple(rows), plan.num_columns, plan.stub_em)


def _group_rows(sheet: Sheet, plan: Plan, count: int, *, is_first: bool) -> list[Row]:
    """Rows that belong together, with what names and sums them."""
    rng, words = sheet.rng, sheet.words
    rows = [_group_head(sheet, plan)] if plan.group in ("span", "stub") and sheet.chance(0.85) else []
    level = rng.choice([0, 1, 1]) if rows else 0
    for index in range(count):
        name_level = level + (1 if index and level and sheet.chance(0.15) else 0)
        cells: list[Cell] = []
        for repeat in range(plan.recipe.repeats):
            if plan.group == "side" and not index:
                css = rng.choice(["", BOLD])
                side = Cell(pieces=(Piece(text=words.phrase(1, 4), css=css),), num_rows=count, is_stub=True)
                cells.append(side)
            cells.append(_name_cell(sheet, plan, name_level))
            cells += _value_cells(
                sheet, plan, with_prefix=plan.prefix_everywhere or (not index and is_first and not repeat)
            )
        rows.append(Row("body", tuple(cells)))
        if sheet.chance(plan.recipe.error_rows):
            rows.append(Row("body", (*[Cell()] * (len(cells) - len(plan.columns)), *_error_cells(sheet, plan))))
    if plan.group == "side":
        rows = _with_side_head_over_all(rows, plan)
    if sheet.chance(plan.recipe.merged_cells):
        rows = _with_merged_cell(sheet, plan, rows)
    if plan.group in ("stub", "gap") and sheet.chance(plan.recipe.totals):
        rows.append(_total_row(sheet, plan, is_last=False))
    if plan.group == "gap" and rows:
        rows[0] = Row(rows[0].kind, tuple(replace(cell, css=cell.css + "padding-top:1em;") for cell in rows[0].cells))
    return rows


def _with_side_head_over_all(rows: list[Row], plan: Plan) -> list[Row]:
    """The side head reaches over every row of its group, also over those of errors."""
    first = rows[0]
    side = replace(first.cells[0], num_rows=len(rows))
    kept = [Row(first.kind, (side, *first.cells[1:]))]
    width = len(plan.columns) + 1
    return kept + [Row(row.kind, row.cells[-width:]) for row in rows[1:]]


def _group_head(sheet: Sheet, plan: Plan) -> Row:
    """The name of a group, over all columns or over those of names alone."""
    piece = Piece(text=sheet.words.phrase(1, 5), css=plan.group_css)
    if plan.group == "span":
        return Row("group", (Cell(pieces=(piece,), num_columns=plan.num_columns),))
    piece = replace(piece, css=plan.group_css.replace("text-align:center;", ""))
    return Row("group", (Cell(pieces=(piece,), is_stub=True), *[Cell()] * (plan.num_columns - 1)))


def _with_merged_cell(sheet: Sheet, plan: Plan, rows: list[Row]) -> list[Row]:
    """One value stands for several columns of a row, or for several rows of a column."""
    body = [index for index, row in enumerate(rows) if row.kind == "body"]
    count = len(plan.columns)
    if count < 2 or len(body) < 2 or plan.recipe.repeats > 1:
        return rows
    rng = sheet.rng
    column, first = rng.randrange(count - 1), rng.choice(body[:-1])
    if sheet.chance(0.5):
        num_columns, num_rows = rng.randint(2, min(4, count - column)), 1
    else:
        num_columns, num_rows = 1, rng.randint(2, min(4, body[-1] - first + 1))
    text = rng.choice(["n/a", "—", sheet.words.phrase(1, 3), sheet.words.text(20, 60), sheet.words.number()])
    side = rng.choice(["center", "center", plan.columns[column].align])
    merged = Cell(pieces=(Piece(text=text),), num_columns=num_columns, num_rows=num_rows, css=f"text-align:{side};")
    for index in range(first, first + num_rows):
        cells = rows[index].cells
        start = len(cells) - count + column
        kept = (merged,) if index == first else ()
        rows[index] = Row("body", (*cells[:start], *kept, *cells[start + num_columns :]))
    return rows


def _name_cell(sheet: Sheet, plan: Plan, level: int) -> Cell:
    """The name of a row, set in by its level, its later lines set in further."""
    words, rng = sheet.words, sheet.rng
    match plan.name_kind:
        case "name":
            text = words.phrase(1, rng.choice([1, 2, 4]))
        case "long name":
            text = words.phrase(2, rng.choice([3, 6, 10, 14]))
        case "date":
            text = words.date()
        case "time":
            text = f"{rng.randint(6, 21)}:{rng.choice(['00', '15', '30', '45'])}"
        case "code":
            text = rng.choice(
                [f"{rng.randint(1, 99)}.", f"{rng.randint(1, 9)}.{rng.randint(1, 9)}", f"A{rng.randint(1, 99)}"]
            )
        case "text":
            text = words.text(20, 100)
        case _:
            text = words.name()
    if rng.random() < 0.03:
        text += f"<sup>{rng.choice('123ab*')}</sup>"
    start = plan.indent_em * level + plan.hanging_em
    css = f"padding-inline-start:{start:.2f}em;text-indent:{-plan.hanging_em}em;{plan.name_css}"
    return Cell(pieces=(Piece(text=text, css=css, leader=plan.leader),), is_stub=True)


def _value_cells(sheet: Sheet, plan: Plan, *, with_prefix: bool) -> list[Cell]:
    return [
        Cell(pieces=cell_pieces(sheet, column, with_prefix=with_prefix), css=f"text-align:{column.align};")
        for column in plan.columns
    ]


def _error_cells(sheet: Sheet, plan: Plan) -> list[Cell]:
    """Standard errors in parentheses, under their values in a row without a name."""
    css = "font-size:.9em;" if sheet.chance(0.5) else ""
    return [
        Cell(
            pieces=(Piece(text=f"({sheet.rng.uniform(0, 2):.{column.decimals}f})", css=css),)
            if sheet.chance(0.8)
            else (),
            css=f"text-align:{column.align};",
        )
        for column in plan.columns
    ]


def _total_row(sheet: Sheet, plan: Plan, *, is_last: bool) -> Row:
    words, css = sheet.words, plan.total_css
    text = sheet.rng.choice(["Total", f"Total {words.phrase(1, 3).lower()}"]) if words.english else words.phrase(1, 2)
    name = Cell(pieces=(Piece(text=text, css=css, leader=plan.leader),), is_stub=True, num_columns=plan.num_stubs)
    rule = sheet.rng.choice([DOUBLE_RULE, plan.total_rule]) if is_last else plan.total_rule
    sums: list[Cell] = []
    for column in plan.columns:
        if column.kind in TEXT_KINDS:
            sums.append(Cell())
            continue
        pieces = cell_pieces(sheet, replace(column, empty_share=column.empty_share / 3), with_prefix=True)
        bold = tuple(replace(piece, css=piece.css + css) for piece in pieces)
        sums.append(Cell(pieces=bold, css=f"text-align:{column.align};", rule=rule))
    more = (Cell(),) * (plan.num_columns - plan.num_stubs - len(sums))
    return Row("total", (name, *sums, *more))
