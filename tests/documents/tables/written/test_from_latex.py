"""Tables as OCR writes them in LaTeX."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box

from documents.tables.written.table_markup import texts
from documents.tables.written.tables_from_ocr import written_table

BOX = box(60, 100, 500, 300)


def read(text):
    return written_table(text, BOX)


def test_a_table_with_rules_on_all_sides():
    """The commonest form: one line, a rule above and below each row."""
    table = read(
        r"\begin{tabular}{|l|c|r|} \hline Boat & Left & Fare \\ \hline Alma & 04:10 & \(12\) \\ \hline "
        r"Dunlin \& Sons & 05:15 & $x^{2}$ \\ \hline \end{tabular}"
    )
    assert table is not None
    assert texts(table) == [["Boat", "Left", "Fare"], ["Alma", "04:10", "12"], ["Dunlin & Sons", "05:15", "x^{2}"]]
    assert table.num_header_rows == 1
    assert {cell.box for cell in table.cells} == {BOX}


def test_cells_over_rows_and_columns_stand_where_they_begin():
    """Guards against the empty cells under a merged one that shift the rest of the row."""
    table = read(
        "\\begin{table}[h]\n\\centering\n\\begin{tabular}{lcc}\n\\toprule\n"
        "\\multirow{2}{*}{Boat} & \\multicolumn{2}{c}{\\textbf{Times}} \\\\\n"
        "\\cline{2-3}\n & Out & In \\\\\n\\midrule\n"
        "Alma & 1 & 2 \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}"
    )
    assert table is not None
    spans = {cell.text: (cell.row, cell.column, cell.num_rows, cell.num_columns) for cell in table.cells}
    assert spans == {
        "Boat": (0, 0, 2, 1),
        "Times": (0, 1, 1, 2),
        "Out": (1, 1, 1, 1),
        "In": (1, 2, 1, 1),
        "Alma": (2, 0, 1, 1),
        "1": (2, 1, 1, 1),
        "2": (2, 2, 1, 1),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Boat & Left",
        r"\begin{tabular}{ll} a & b \\",
        r"Before \begin{tabular}{ll} a & b \\ \end{tabular}",
        r"\begin{tabular}{l} \begin{tabular}{l} a \end{tabular} \end{tabular}",
        r"\begin{tabular}{ll} {a & b \\ \end{tabular}",
        r"\begin{tabular}{ll} a} & b \\ \end{tabular}",
        r"\begin{tabular}{l} \input{secret} \\ \end{tabular}",
        r"\begin{tabular}{ll} \multirow{3}{*}{a} & b \\ & c \\ \end{tabular}",
        r"\begin{tabular}{ll} \multirow{2}{*}{a} & b \\ c & d \\ \end{tabular}",
        r"\begin{tabular}{ll} \multicolumn{0}{c}{a} \\ \end{tabular}",
        r"\begin{tabular}{ll} \multicolumn{999}{c}{a} \\ \end{tabular}",
        r"\begin{tabular}{ll}\end{tabular}",
    ],
)
def test_what_is_not_a_table_to_the_letter_is_none(text):
    """Guards against half a table, cut off or run away, that passes for a whole one."""
    assert read(text) is None


@given(st.text(alphabet="ab&\\{}$~ %\n\0", max_size=60))
def test_no_text_breaks_the_reader(text):
    table = read("\\begin{tabular}{ll}" + text + "\\end{tabular}")
    assert table is None or len({(c.row, c.column) for c in table.cells}) == len(table.cells)
