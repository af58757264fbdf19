"""Prints a grid in a look: a `<table>` in which every piece of a cell has a colour of its own."""

from __future__ import annotations

from training.structure.drawings.tables.grid import Cell, Grid, Piece, Row
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
    head = "".join(_row(sheet, grid, look, row, index, len(heads)) for index, row in enumerate(heads))
    rest = "".join(_row(sheet, grid, look, row, index, 0) for index, row in enumerate(body))
    css = f"font-size:{look.size}pt;line-height:{look.leading};{look.css}{look.rule(look.rules.frame)}"
    css += "width:100%;" if look.is_full else ""
    top = f"<thead>{head}</thead>" if head else ""
    table = f'<table style="{css}">{top}<tbody>{rest}</tbody></table>'
    return f'<div class="room" data-height="{height}" style="width:{width:.1f}pt;text-indent:0">{table}</div>{SCRIPT}'


def _row(sheet: Sheet, grid: Grid, look: GridLook, row: Row, index: int, num_heads: int) -> str:
    column = 0
    cells: list[str] = []
    ground = look.head_ground if row.kind == "head" else None
    with sheet.on(0xFFFFFF if ground is None else ground):
        for cell in row.cells:
            column += cell.num_columns
            cells.append(_cell(sheet, grid, look, row, cell, index, num_heads, is_last=column >= grid.num_columns))
    if ground is None and row.kind != "head" and (index // (2 if look.is_stripe_wide else 1)) % 2:
        ground = look.stripe
    css = f' style="background:#{ground:06x}"' if ground is not None else ""
    return f"<tr{css}>{''.join(cells)}</tr>"


def _cell(
    sheet: Sheet, grid: Grid, look: GridLook, row: Row, cell: Cell, index: int, num_heads: int, *, is_last: bool
) -> str:
    rules = look.rules
    is_head = row.kind == "head"
    css = [look.pad, rules.head if is_head else rules.cell, "" if is_last else rules.inner]
    css += [rules.last_head] if is_head and index + cell.num_rows == num_heads else []
    css += [rules.group] if row.kind == "group" else [rules.total] if row.kind == "total" else []
    css += [rules.stub] if cell.is_stub else []
    valign = look.stub_valign if cell.is_stub else look.valign
    if is_head:
        valign = "bottom" if look.valign == "top" else look.valign
    elif cell.num_rows > 1:
        valign = look.side_valign
    css += [f"vertical-align:{valign};", cell.css]
    ink = look.stub_ink if cell.is_stub else None
    inner = "".join(
        _piece(sheet, piece, ink, f"width:{grid.stub_em}em;" if _breaks(grid, cell) else "") for piece in cell.pieces
    )
    if cell.rule:
        inner = f'<div style="{cell.rule}">{inner or "&nbsp;"}</div>'
    spans = (f' rowspan="{cell.num_rows}"' if cell.num_rows > 1 else "") + (
        f' colspan="{cell.num_columns}"' if cell.num_columns > 1 else ""
    )
    tag = "th" if is_head else "td"
    return f'<{tag}{spans} style="{look.rule("".join(css))}">{inner or "&nbsp;"}</{tag}>'


def _breaks(grid: Grid, cell: Cell) -> bool:
    return cell.is_stub and cell.num_columns == 1 and cell.num_rows == 1 and grid.stub_em > 0


def _piece(sheet: Sheet, piece: Piece, ink: int | None, css: str) -> str:
    shown = sheet.ground.ink if ink is None else ink
    css = f"color:{sheet.take('table', shown if piece.ink is None else piece.ink)};{css}{piece.css}"
    if piece.dots:
        leader = f'<span class="dots" data-dots="{piece.dots}" style="{LEADER}"><span></span></span>'
        return f'<div style="display:flex;align-items:end;{css}"><span>{piece.text}</span>{leader}</div>'
    if piece.lead or piece.tail_em:
        parts = f'<span style="flex:1;text-align:left;padding-right:.4em">{piece.lead}</span><span>{piece.text}</span>'
        tail = f'<span style="min-width:{piece.tail_em}em;text-align:left">{piece.tail}</span>'
        return f'<div style="display:flex;direction:ltr;white-space:nowrap;{css}">{parts}{tail}</div>'
    return f'<div style="{css}">{piece.text}</div>'
