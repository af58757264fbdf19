"""A form drawn as a table: closed fields of uneven widths, a small label and what is written in it in one cell."""

from __future__ import annotations

from itertools import accumulate

from training.structure.drawings.web.official_forms import SPLITS
from training.structure.drawings.web.sheet import Sheet


def form_grid(sheet: Sheet, width: float) -> str:
    """Fields in rows; the grid has a column wherever a field of any row ends."""
    rng, words = sheet.rng, sheet.words
    edge = f"border:{rng.choice(['.4pt', '.75pt'])} solid #333;padding:1.5pt 3pt;vertical-align:top;text-align:start;"
    filled, size = rng.choice([0.2, 0.6, 0.95]), rng.choice([7.5, 8.5, 9.5])
    height, bold = rng.choice([16, 22, 28]), rng.choice(["font-weight:700;", "", "font-style:italic;"])
    splits = [rng.choice(SPLITS) for _ in range(rng.randint(3, 12))]
    ends = sorted({end for split in splits for end in accumulate(split)})
    lines: list[str] = []
    for split in splits:
        cells: list[str] = []
        first = 0
        for span in split:
            num_columns = sum(first < end <= first + span for end in ends)
            first += span
            label = words.phrase(1, 1 + span // 3)
            inner = sheet.block("label", label, "div", "font-size:.72em;line-height:1.1;")
            if sheet.chance(filled):
                text = rng.choice([words.date(), words.name(), words.amount(), str(rng.randint(1, 10**6))])
                inner += sheet.block("value", text, "div", bold)
            cells.append(f'<td colspan="{num_columns}" style="{edge}height:{height}pt">{inner}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    columns = "".join(
        f'<col style="width:{(end - start) / 12 * width:.1f}pt">' for start, end in zip([0, *ends], ends, strict=False)
    )
    css = f"font-size:{size}pt;line-height:1.15;table-layout:fixed;width:{width}pt;margin:4pt 0"
    return f'<table style="{css}"><colgroup>{columns}</colgroup><tbody>{"".join(lines)}</tbody></table>'
