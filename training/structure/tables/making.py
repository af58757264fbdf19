"""Makes the grid of a recipe: heads over heads, names of rows, groups, sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from training.structure.tables.contents import ROOM_EM, TEXTS, Column, Kind, some_column, value
from training.structure.tables.grid import Cell, Grid, Piece, Row
from training.structure.tables.recipes import Group, Recipe
from training.structure.web.sheet import Sheet

NAME_EM = 9.0  # of a name of a row that may be as wide as it is
BOLD = "font-weight:700;"
THIN = "border-top:.5pt solid;"
DOUBLE = "border-top:.5pt solid;border-bottom:2.2pt double;"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What has been chosen for one table."""

    recipe: Recipe
    columns: tuple[Column, ...]
    name: str  # kind of the names of rows
    group: Group
    stub_em: float
    indent: float  # em, of the rows of a group
    hanging: float  # em, of the later lines of a name
    dots: str
    lead_everywhere: bool
    group_css: str
    total_css: str
    total_rule: str
    head_css: str
    name_css: str

    @property
    def num_stubs(self) -> int:
        return 2 if self.group == "side" else 1

    @property
    def num_columns(self) -> int:
        return (self.num_stubs + len(self.columns)) * self.recipe.repeats


def some_grid(sheet: Sheet, recipe: Recipe, room_em: float, max_rows: int = 60) -> Grid:
    """A table of a recipe that fits into a room (width in em)."""
    plan = _plan(sheet, recipe, room_em)
    rng = sheet.rng
    num_rows = min(max_rows, rng.randint(*recipe.rows))
    rows = _heads(sheet, plan, rng.choice(recipe.heads))
    while num_rows > 0:
        count = min(num_rows, rng.randint(*recipe.group_rows) if plan.group != "none" else num_rows)
        rows += _group(sheet, plan, count, is_first=count == num_rows)
        num_rows -= count
    if sheet.chance(recipe.totals):
        rows.append(_total(sheet, plan, is_last=True))
    return Grid(tuple(rows), plan.num_columns, plan.stub_em)


def _plan(sheet: Sheet, recipe: Recipe, room_em: float) -> _Plan:
    rng = sheet.rng
    room_em /= recipe.repeats
    stub_em = min(rng.choice(recipe.stub_em), 0.55 * room_em)
    group = rng.choice(recipe.groups)
    room = room_em - (stub_em or NAME_EM) * (1.6 if group == "side" else 1)
    only = rng.choice(recipe.kinds) if sheet.chance(recipe.same_kind) else None
    kinds: list[Kind] = []
    for _ in range(rng.randint(*recipe.columns)):
        kind = only or rng.choice(recipe.kinds)
        room -= ROOM_EM[kind]
        if room < 0 and kinds:
            break
        kinds.append(kind)
    blanks = rng.choice(recipe.blanks)
    columns = [some_column(sheet, kind, 0 if kind in TEXTS and sheet.chance(0.7) else blanks) for kind in kinds]
    if only:
        columns = [columns[0]] * len(columns)
    return _Plan(
        recipe=recipe,
        columns=tuple(columns),
        name=rng.choice(recipe.names),
        group=group,
        stub_em=stub_em,
        indent=rng.choice([0, 0.8, 1, 1.5, 2]),
        hanging=rng.choice([0, 0, 0.7, 1, 1.5, 2]),
        dots=rng.choice([".", ". ", " . ", "…", "·"]) if sheet.chance(recipe.dots) and not sheet.words.rtl else "",
        lead_everywhere=not sheet.chance(recipe.leads),
        group_css=rng.choice([BOLD, BOLD, "font-style:italic;", "", "text-transform:uppercase;", "text-align:center;"]),
        total_css=rng.choice([BOLD, BOLD, ""]),
        total_rule=rng.choice([THIN, THIN, ""]),
        head_css=rng.choice([BOLD, BOLD, "", "font-style:italic;"]),
        name_css=rng.choice(["", "", "", BOLD]),
    )


def _heads(sheet: Sheet, plan: _Plan, depth: int) -> list[Row]:
    """Rows of heads; those over several columns have a line of their own, or none."""
    if not depth:
        return []
    rng = sheet.rng
    rows: list[list[Cell]] = [[] for _ in range(depth)]
    rule = rng.choice(["", "border-bottom:.4pt solid;", "border-bottom:.4pt solid;"])
    for _ in range(plan.recipe.repeats):
        for _ in range(plan.num_stubs):
            _over(rows, 0, _head(sheet, plan, "start", 1, 3) if sheet.chance(0.65) else (), at_foot=sheet.chance(0.5))
        _split(sheet, plan, rows, plan.columns, 0, rule)
    heads = [Row("head", tuple(cells)) for cells in rows]
    if sheet.chance(plan.recipe.units):
        heads.append(Row("head", tuple(_units(sheet, plan))))
    return heads


def _split(sheet: Sheet, plan: _Plan, rows: list[list[Cell]], columns: Sequence[Column], level: int, rule: str) -> None:
    """Writes the heads of columns from a level of heads down."""
    if level == len(rows) - 1:
        for column in columns:
            rows[level].append(Cell(pieces=_head(sheet, plan, column.side, 1, sheet.rng.choice([1, 2, 4]))))
        return
    first = 0
    while first < len(columns):
        span = min(len(columns) - first, sheet.rng.choice([1, 2, 2, 3, 4, 6]))
        under = columns[first : first + span]
        if span == 1:
            _over(rows, level, _head(sheet, plan, under[0].side, 1, 2), at_foot=sheet.chance(0.5))
        else:
            side = sheet.rng.choice(["center", "center", "center", "start"])
            rows[level].append(Cell(pieces=_head(sheet, plan, side, 1, 4), num_columns=span, rule=rule))
            _split(sheet, plan, rows, under, level + 1, rule)
        first += span


def _over(rows: list[list[Cell]], level: int, pieces: tuple[Piece, ...], *, at_foot: bool) -> None:
    """A head of one column: over all rows that are left, or in the last of them under empty cells."""
    if at_foot:
        for row in rows[level:-1]:
            row.append(Cell())
        rows[-1].append(Cell(pieces=pieces))
    else:
        rows[level].append(Cell(pieces=pieces, num_rows=len(rows) - level))


def _head(sheet: Sheet, plan: _Plan, side: str, low: int, high: int) -> tuple[Piece, ...]:
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
    return (Piece(text=text, css=f"{plan.head_css}text-align:{side};"),)


def _units(sheet: Sheet, plan: _Plan) -> list[Cell]:
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
            pieces = (Piece(text=text, css=f"text-align:{column.side};"),) if text else ()
            cells.append(Cell(pieces=pieces))
    return cells


def _group(sheet: Sheet, plan: _Plan, count: int, *, is_first: bool) -> list[Row]:
    """Rows that belong together, with what names and sums them."""
    rows: list[Row] = []
    rng, words = sheet.rng, sheet.words
    is_named = plan.group in ("span", "stub") and sheet.chance(0.85)
    if is_named:
        piece = Piece(text=words.phrase(1, 5), css=plan.group_css)
        if plan.group == "span":
            rows.append(Row("group", (Cell(pieces=(piece,), num_columns=plan.num_columns),)))
        else:
            piece = replace(piece, css=plan.group_css.replace("text-align:center;", ""))
            empty = (Cell(),) * (plan.num_columns - 1)
            rows.append(Row("group", (Cell(pieces=(piece,), is_stub=True), *empty)))
    level = rng.choice([0, 1, 1]) if is_named else 0
    for index in range(count):
        deeper = level + (1 if index and level and sheet.chance(0.15) else 0)
        cells: list[Cell] = []
        for again in range(plan.recipe.repeats):
            if plan.group == "side" and not index:
                css = rng.choice(["", BOLD])
                side = Cell(pieces=(Piece(text=words.phrase(1, 4), css=css),), num_rows=count, is_stub=True)
                cells.append(side)
            cells.append(_name(sheet, plan, deeper))
            cells += _values(sheet, plan, with_lead=plan.lead_everywhere or (not index and is_first and not again))
        rows.append(Row("body", tuple(cells)))
        if sheet.chance(plan.recipe.errors):
            rows.append(Row("body", (*[Cell()] * (len(cells) - len(plan.columns)), *_errors(sheet, plan))))
    if plan.group == "side":
        rows = _grown(rows, plan)
    if plan.group in ("stub", "gap") and sheet.chance(plan.recipe.totals):
        rows.append(_total(sheet, plan, is_last=False))
    if plan.group == "gap" and rows:
        rows[0] = Row(rows[0].kind, tuple(replace(cell, css=cell.css + "padding-top:1em;") for cell in rows[0].cells))
    return rows


def _grown(rows: list[Row], plan: _Plan) -> list[Row]:
    """The side head reaches over every row of its group, also over those of errors."""
    first = rows[0]
    side = replace(first.cells[0], num_rows=len(rows))
    kept = [Row(first.kind, (side, *first.cells[1:]))]
    width = len(plan.columns) + 1
    return kept + [Row(row.kind, row.cells[-width:]) for row in rows[1:]]


def _name(sheet: Sheet, plan: _Plan, level: int) -> Cell:
    """The name of a row, set in by its level, its later lines set in further."""
    words, rng = sheet.words, sheet.rng
    match plan.name:
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
    start = plan.indent * level + plan.hanging
    css = f"padding-inline-start:{start:.2f}em;text-indent:{-plan.hanging}em;{plan.name_css}"
    return Cell(pieces=(Piece(text=text, css=css, dots=plan.dots),), is_stub=True)


def _values(sheet: Sheet, plan: _Plan, *, with_lead: bool) -> list[Cell]:
    return [
        Cell(pieces=value(sheet, column, with_lead=with_lead), css=f"text-align:{column.side};")
        for column in plan.columns
    ]


def _errors(sheet: Sheet, plan: _Plan) -> list[Cell]:
    """Standard errors in parentheses, under their values in a row without a name."""
    css = "font-size:.9em;" if sheet.chance(0.5) else ""
    return [
        Cell(
            pieces=(Piece(text=f"({sheet.rng.uniform(0, 2):.{column.decimals}f})", css=css),)
            if sheet.chance(0.8)
            else (),
            css=f"text-align:{column.side};",
        )
        for column in plan.columns
    ]


def _total(sheet: Sheet, plan: _Plan, *, is_last: bool) -> Row:
    words, css = sheet.words, plan.total_css
    text = sheet.rng.choice(["Total", f"Total {words.phrase(1, 3).lower()}"]) if words.english else words.phrase(1, 2)
    name = Cell(pieces=(Piece(text=text, css=css, dots=plan.dots),), is_stub=True, num_columns=plan.num_stubs)
    rule = sheet.rng.choice([DOUBLE, plan.total_rule]) if is_last else plan.total_rule
    sums: list[Cell] = []
    for column in plan.columns:
        if column.kind in TEXTS:
            sums.append(Cell())
            continue
        pieces = value(sheet, replace(column, blanks=column.blanks / 3), with_lead=True)
        bold = tuple(replace(piece, css=piece.css + css) for piece in pieces)
        sums.append(Cell(pieces=bold, css=f"text-align:{column.side};", rule=rule))
    more = (Cell(),) * (plan.num_columns - plan.num_stubs - len(sums))
    return Row("total", (name, *sums, *more))
