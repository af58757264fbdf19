"""Pieces of HTML that hold blocks: boxes, rows, grids, pages; they have no words of their own."""

from __future__ import annotations


def box(css: str, *inner: str, kind: str = "") -> str:
    """A `<div>`; `kind` names classes of the style sheet (`keep`, `fit`, `leaf` ...)."""
    classes = f' class="{kind}"' if kind else ""
    return f'<div{classes} style="{css}">{"".join(inner)}</div>'


def grid(columns: int | str, *cells: str, gap: str = "1em", css: str = "", kind: str = "") -> str:
    """Elements in columns of one width, or of the widths that CSS names."""
    widths = f"repeat({columns},1fr)" if isinstance(columns, int) else columns
    return box(f"grid-template-columns:{widths};gap:{gap};{css}", *cells, kind=f"grid {kind}".strip())


def beside(*cells: str, gap: str = "1em", css: str = "") -> str:
    """Elements in one row."""
    return box(f"gap:{gap};{css}", *cells, kind="flex")


def leaf(width: float, height: float, css: str, *inner: str, grow: float = 1) -> str:
    """A whole page (points) whose text is set larger, at most `grow` times, or smaller until it fills the page."""
    size = f"width:{width}pt;height:{height}pt;"
    return f'<div class="leaf fit" data-grow="{grow}" style="{size}{css}">{"".join(inner)}</div>'


def fill(colour: int) -> str:
    """CSS of a coloured ground."""
    return f"background:#{colour:06x};"


def grid_table(head: str, rows: list[str], css: str) -> str:
    """A `<table>` of one head row and more rows, each given as its cells."""
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    body = "".join(f"<tr>{cells}</tr>" for cells in rows)
    return f'<table style="width:100%;{css}">{top}<tbody>{body}</tbody></table>'
