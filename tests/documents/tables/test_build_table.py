"""The lines of a region as a Table whose cells all know their place."""

from __future__ import annotations

import pytest
from page_making import box, inspection, printed, printed_table

from documents.boxes import BoundingBox
from documents.inspection import Grid, TextLine, Word
from documents.region_values import Table
from documents.tables.build_table import table_of

ROWS = [["Boat", "Left"], ["Alma", "04:10"], ["Dunlin", "05:15"]]
FRAME = box(55, 95, 255, 155)


def made(page_inspection, lines) -> Table:
    filled = table_of(page_inspection, FRAME, lines, frozenset())
    assert filled is not None
    assert (filled.within, filled.beside) == (tuple(lines), ())
    return filled.table


def test_a_grid_goes_before_alignment():
    """The grid merges what alignment would part."""
    lines = [printed("Boats that left", 110, 100), *printed_table(ROWS)[2:]]
    cells = (
        box(55, 95, 255, 115),
        *(box(55 + 100 * c, 115 + 20 * r, 155 + 100 * c, 135 + 20 * r) for r in (0, 1) for c in (0, 1)),
    )
    page_inspection = inspection(*lines).model_copy(update={"grids": (Grid(box=FRAME, cells=cells),)})
    table = made(page_inspection, lines)
    assert (table.cells[0].text, table.cells[0].num_columns) == ("Boats that left", 2)


def test_every_cell_has_the_box_of_its_words():
    lines = printed_table(ROWS)
    table = made(inspection(*lines), lines)
    by_text = {line.text: line.box for line in lines}
    assert len(table.cells) == 6
    assert all(cell.box == by_text[cell.text] for cell in table.cells)


def test_the_first_row_is_the_header_where_no_rule_tells():
    lines = printed_table(ROWS)
    assert made(inspection(*lines), lines).num_header_rows == 1


def test_a_single_line_is_no_table():
    lines = printed_table(ROWS[:1])
    assert table_of(inspection(*lines), box(55, 95, 255, 115), lines, frozenset()) is None


def test_a_table_in_a_script_from_the_right_begins_at_the_right():
    lines = [
        line
        for k in range(3)
        for line in (printed("1403", 60, 100 + 20 * k), printed("\u062a\u0627\u0631\u064a\u062e", 200, 100 + 20 * k))
    ]
    table = made(inspection(*lines), lines)
    assert [cell.text for cell in table.cells if cell.column == 1] == ["1403"] * 3


def test_cells_of_a_script_that_runs_from_the_right_are_read_from_there():
    """Guards against words of Hebrew and Arabic cells in the order in which they stand from the left."""
    rows = [["גדול בית", "שם"], ["12", "ים"], ["13", "הר"]]  # as printed, from the left
    lines = printed_table(rows)
    texts = {(cell.row, cell.column): cell.text for cell in made(inspection(*lines), lines).cells}
    assert texts[0, 0] == "שם"
    assert texts[0, 1] == "בית גדול"


def down_the_page(text, x, y):
    """A line whose characters stand below one another."""
    around = box(x, y, x + 10, y + 10 * len(text))
    word = Word(text=text, box=around, font_size=10)
    return TextLine(text=text, box=around, font_size=10, fonts=("Font",), words=(word,), angle=90)


@pytest.mark.parametrize(("texts", "is_table"), [(("法第五条", "規定"), False), (("Bergen", "10"), True)])
def test_gaps_of_sentences_down_a_page_are_no_columns(texts, is_table):
    """A page of a Japanese gazette had a table of its brackets and commas; a sideways table of words stays one."""
    lines = [
        down_the_page(text, 300 - 20 * column, 100 + 120 * part)
        for column in range(6)
        for part, text in enumerate(texts)
    ]
    whole = BoundingBox.around([line.box for line in lines])
    filled = table_of(inspection(*lines), whole, lines, frozenset())
    assert (filled is not None) == is_table


def test_what_is_raised_or_lowered_in_a_cell_is_marked_there():
    """The marks were lost: HTML had a character that looks raised where the page has a raised 2."""
    lines = printed_table([["Boat", "Deck"], ["Alma", "40 m"], ["Dunlin", "52 m"]])
    base = lines[3].words[-1]
    mark = Word(text="2", box=box(base.box.x1, 118, base.box.x1 + 4, 124), font_size=6, rise="super", spaced=False)
    lines[3] = lines[3].model_copy(update={"text": "40 m²", "words": (*lines[3].words, mark)})
    cells = made(inspection(*lines), lines).cells
    assert [(cell.text, script.start, script.end, script.rise) for cell in cells for script in cell.scripts] == [
        ("40 m²", 4, 5, "super")
    ]
