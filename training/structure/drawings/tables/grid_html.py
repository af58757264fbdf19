"""Prints a grid in a look: a `<table>` in which every piece of a cell has a colour of its own."""

from __future__ import annotations

from collections.abc import Sequence

from training.structure.drawings.tables.cells import first_columns
from training.structure.drawings.tables.grid import Cell, Grid, Piece, Row, RowKind
from training.structure.drawings.tables.looks import GridLook
from training.structure.drawings.web.sheet import Sheet

MIN_SCALE = 0.5  # to which a table that is too wide is set smaller
# Runs where the table stands, in a box as wide as its room on paper: until it fits it is set smaller
# and loses rows; then leaders are written.
SCRIPT = """<script>
for (const room of document.querySelectorAll('.room:not(.done)')) {
  const table = room.firstElementChild, size = parseFloat(table.style.fontSize);
  for (let scale = 1; table.offsetWidth > room.clientWidth + 1 && scale > MIN_SCALE; scale *= 0.94)
    table.style.fontSize = size * scale + 'pt';
  const most = room.dataset.height * 4 / 3, rows = table.tBodies[0].rows;
  while (most && table.offsetHeight > most && rows.length > 1) rows[rows.length - 1].remove();
  for (const dots of room.querySelectorAll('.dots')) {
    const one = dots.dataset.dots, inner = dots.firstElementChild;
    inner.textContent = one.repeat(40);
    const width = inner.offsetWidth / 40;
    inner.textContent = '';
    const count = Math.floor(dots.clientWidth / width) - 1;
    inner.textContent = one.repeat(Math.max(0, count));
  }
  room.classList.add('done');
}</script>""".replace("MIN_SCALE", str(MIN_SCALE))
LEADER = "flex:1 0 0;min-width:0;white-space:pre"


def printed(sheet: Sheet, grid: Grid, look: GridLook, width: float, height: float = 0) -> str:
    """The table in a room of a width in points; it loses its last rows where it is higher than a height, if any."""
    heads = [row for row in grid.rows if row.kind == "head"]
    body = [row for row in grid.rows if row.kind != "head"]
    head_html = _rows(sheet, grid, look, heads)
    body_html = _rows(sheet, grid, look, body)
    css = f"font-size:{look.size}pt;line-height:{look.leading};{look.css}{look.rule(look.rules.frame)}"
    css += "width:100%;" if look.is_full else ""
    thead = f"<thead>{head_html}</thead>" if heads else ""
    table = f'<table style="{css}">{thead}<tbody>{body_html}</tbody></table>'
    return f'<div class="room" data-height="{height}" style="width:{width:.1f}pt;text-indent:0">{table}</div>{SCRIPT}'


def _rows(sheet: Sheet, grid: Grid, look: GridLook, rows: Sequence[Row]) -> str:
    """All heads, or all rows below them: no cell reaches from the ones into the others."""
    lines: list[str] = []
    for index, (row, columns) in enumerate(zip(rows, first_columns([row.cells for row in rows]), strict=True)):
        ground = look.head_ground if row.kind == "head" else None
        cells: list[str] = []
        with sheet.on(0xFFFFFF if ground is None else ground):
            for cell, column in zip(row.cells, columns, strict=True):
                css = _cell_css(
                    look,
                    row.kind,
                    cell,
                    is_lowest_head=row.kind == "head" and index + cell.num_rows == len(rows),
                    is_last=column + cell.num_columns == grid.num_columns,
                )
                cells.append(_cell(sheet, grid, look, row.kind, cell, css))
        if ground is None and row.kind != "head" and (index // (2 if look.is_stripe_wide else 1)) % 2:
            ground = look.stripe
        row_css = f' style="background:#{ground:06x}"' if ground is not None else ""
        lines.append(f"<tr{row_css}>{''.join(cells)}</tr>")
    return "".join(lines)


def _cell_css(look: GridLook, kind: RowKind, cell: Cell, *, is_lowest_head: bool, is_last: bool) -> str:
    """The padding, rules and place of a cell in a row of a kind; `is_last`: it ends where its row does."""
    rules = look.rules
    css = [look.padding, rules.head if kind == "head" else rules.cell]
    if not is_last:
        css.append(rules.between_columns)
    if is_lowest_head:
        css.append(rules.lowest_head)
    if kind == "group":
        css.append(rules.group)
    if kind == "total":
        css.append(rules.total)
    if cell.is_stub:
        css.append(rules.stub)
    valign = look.stub_valign if cell.is_stub else look.valign
    if kind == "head":
        valign = "bottom" if look.valign == "top" else look.valign
    elif cell.num_rows > 1:
        valign = look.side_valign
    return look.rule("".join([*css, f"vertical-align:{valign};", cell.css]))


def _cell(sheet: Sheet, grid: Grid, look: GridLook, kind: RowKind, cell: Cell, css: str) -> str:
    ink = look.stub_ink if cell.is_stub else None
    width = f"width:{grid.stub_em}em;" if _breaks(grid, cell) else ""
    inner = "".join(_piece(sheet, piece, ink, width) for piece in cell.pieces)
    if cell.rule:
        inner = f'<div style="{cell.rule}">{inner or "&nbsp;"}</div>'
    rowspan = f' rowspan="{cell.num_rows}"' if cell.num_rows > 1 else ""
    colspan = f' colspan="{cell.num_columns}"' if cell.num_columns > 1 else ""
    tag = "th" if kind == "head" else "td"
    return f'<{tag}{rowspan}{colspan} style="{css}">{inner or "&nbsp;"}</{tag}>'


def _breaks(grid: Grid, cell: Cell) -> bool:
    return cell.is_stub and cell.num_columns == 1 and cell.num_rows == 1 and grid.stub_em > 0


def _piece(sheet: Sheet, piece: Piece, ink: int | None, css: str) -> str:
    shown = sheet.ground.ink if ink is None else ink
    css = f"color:{sheet.take('table', shown if piece.ink is None else piece.ink)};{css}{piece.css}"
    if piece.leader:
        leader = f'<span class="dots" data-dots="{piece.leader}" style="{LEADER}"><span></span></span>'
        return f'<div style="display:flex;align-items:end;{css}"><span>{piece.text}</span>{leader}</div>'
    if piece.prefix or piece.suffix_em:
        parts = (
            f'<span style="flex:1;text-align:left;padding-right:.4em">{piece.prefix}</span><span>{piece.text}</span>'
        )
        suffix = f'<span style="min-width:{piece.suffix_em}em;text-align:left">{piece.suffix}</span>'
        return f'<div style="display:flex;direction:ltr;white-space:nowrap;{css}">{parts}{suffix}</div>'
    return f'<div style="{css}">{piece.text}</div>'
