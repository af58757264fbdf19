"""The tables of development, each where its cells are listed or drawn, and what a person sees beyond the list.

Lists of cells know no header of several lines and no span, and take titles and notes for rows; each page was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EXPECTED = "camelot/tests/data.py"  # lists of rows, by name
FILES = "camelot/tests/files"
DRAWN = "camelot/docs/benchmark"
DOCLING = "docling/tests/data/pdf/sources"
TAGGED = (  # PDFs of which the authors' trees say the tables: all rows have as many cells, and they stand so
    "docling/tests/data/pdf/sources/right_to_left_03.pdf",
    "tika/tika-parsers/tika-parsers-standard/tika-parsers-standard-modules/tika-parser-pdf-module/src/test/resources/"
    "test-documents/testJournalParser.pdf",
)
Span = tuple[int, int, int, int]  # row, column, rows, columns: of what remains once lines are merged


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTable:
    """Rows that a file lists: a name in EXPECTED, or a CSV; or (`area`) that are the words between `edges` of a page.

    `rows` is the slice that is the table (an end of 0: to the last); of it, the lines of each pair in `merged` are one
    row. `spans` hold the text of all they cover; `texts` replace what is listed; `repeats`: equal cells below one
    another are one. Rows between `levels` instead hold the words of all lines there. Without `area` and `levels`,
    `page` says where the table stands.
    """

    source: str = ""
    page: int = 1
    rows: tuple[int, int] = (0, 0)
    merged: tuple[tuple[int, int], ...] = ()
    spans: tuple[Span, ...] = ()
    texts: tuple[tuple[int, int, str], ...] = ()  # row, column, what is printed there
    repeats: bool = False
    area: tuple[float, float, float, float] | None = None
    edges: tuple[float, ...] = ()
    levels: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A PDF and its tables in the order of the page."""

    path: str
    tables: tuple[ListedTable, ...]


@dataclass(frozen=True, slots=True)
class DoclingFile:
    """A PDF whose tables docling's expected JSON lists; `tables` are those that are right to a person's eye."""

    path: str
    tables: tuple[int, ...]


def _down(columns: tuple[int, ...], rows: int = 2) -> tuple[Span, ...]:
    """Header cells that reach down."""
    return tuple((0, column, rows, 1) for column in columns)


def _csv(kind: Literal["lattice", "stream"], name: str) -> str:
    return f"{DRAWN}/{kind}/{name}/{name}-data-camelot-page-1-table-1.csv"


_LITERACY = (*_down((0, 1)), (0, 2, 1, 6))
_PLANS = ((10, 1, 1, 2), (33, 1, 1, 2), (34, 0, 1, 3), (37, 1, 1, 2), (38, 0, 1, 3))
_INDICATORS = ((0, 1, 1, 2), (0, 3, 1, 2))
_SURPLUS = (
    "Projected Population for 2012-13 (In lakhs)",
    "Adult Equivalent to 88% (In lakhs)",
    "Total Consumption requirement (@ 400gms/adult/day) (In Lakh tonnes)",
    "Total Requirement (Including seeds, feeds & wastage) (In Lakh tonnes)",
    "Production (Rice) (In Lakh tonnes)",
    "",
    "",
    "Surplus/Deficit (In Lakh tonnes)",
)
_SIZES = (
    *((0, 2, 1, 2), (0, 4, 1, 3), (0, 7, 1, 3), *_down((0, 1))),
    *((row, 0, 4, 1) for row in range(3, 23, 4)),
    *((row, 1, 1, 9) for row in range(3, 27, 4)),
)
_ENERGY = (53.0, 150.0, 190.0, 236.0, 282.0, 330.0, 380.0, 430.0, 475.0, 530.0)

LISTED = (
    ListedFile(
        f"{FILES}/health.pdf",
        (
            ListedTable(
                source="data_stream", merged=((1, 6),), spans=(*_down((0, 5, 6, 7)), (0, 1, 1, 2), (0, 3, 1, 2))
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/clockwise_table_1.pdf",
        (
            ListedTable(
                source="data_lattice_table_rotated",
                spans=(*_down((0, 5)), (0, 1, 1, 4), (0, 6, 1, 2), (0, 8, 1, 2)),
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/anticlockwise_table_2.pdf",
        (
            ListedTable(
                source="data_stream_table_rotated",
                rows=(1, 0),
                merged=((1, 4),),
                spans=(*_down((0, 1, 2, 10, 14, 15, 16)), (0, 3, 1, 7), (0, 11, 1, 3)),
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/twotables_2.pdf",
        (
            ListedTable(source="data_lattice_two_tables_1", spans=_LITERACY),
            ListedTable(source="data_lattice_two_tables_2", spans=_LITERACY),
        ),
    ),
    ListedFile(
        f"{FILES}/background_lines_1.pdf",
        (ListedTable(source="data_lattice_process_background", spans=tuple((1, k, 2, 1) for k in range(2, 8))),),
    ),
    ListedFile(
        f"{FILES}/row_span_1.pdf",
        (ListedTable(source="data_lattice_copy_text", rows=(0, -1), spans=_PLANS, repeats=True),),
    ),
    ListedFile(
        f"{FILES}/column_span_2.pdf",
        (
            ListedTable(
                source="data_lattice_shift_text_disable",
                spans=(
                    (1, 1, 3, 1),
                    (1, 2, 3, 5),
                    (4, 2, 1, 5),
                    *((row, column, 2, 1) for row in (5, 7) for column in (0, 1, 3, 4, 5)),
                    (9, 0, 2, 1),
                ),
            ),
        ),
    ),
    ListedFile(f"{FILES}/split_text_lattice.pdf", (ListedTable(source="data_lattice_split_text"),)),
    ListedFile(f"{FILES}/mexican_towns.pdf", (ListedTable(source="data_stream_columns", merged=((0, 2),)),)),
    ListedFile(f"{FILES}/superscript.pdf", (ListedTable(source="data_stream_flag_size", merged=((0, 4), (4, 6))),)),
    ListedFile(f"{FILES}/edge_tol.pdf", (ListedTable(area=(70, 130, 560, 650), edges=(70, 450, 560)),)),
    ListedFile(f"{FILES}/stream_inner_outer_columns.pdf", (ListedTable(source="data_stream_inner_outer_columns"),)),
    ListedFile(
        f"{FILES}/multiple_tables.pdf",
        (ListedTable(source="data_network_two_tables_b_1"), ListedTable(source="data_network_two_tables_b_2")),
    ),
    ListedFile(
        f"{FILES}/district_health.pdf",
        (ListedTable(source=_csv("stream", "district_health"), rows=(1, -3), spans=(*_INDICATORS, *_down((0,)))),),
    ),
    ListedFile(
        f"{FILES}/missing_values.pdf",
        (ListedTable(source=_csv("stream", "missing_values"), rows=(1, -3), spans=(*_INDICATORS, *_down((0,)))),),
    ),
    ListedFile(
        f"{FILES}/population_growth.pdf", (ListedTable(source=_csv("stream", "population_growth"), rows=(2, -3)),)
    ),
    ListedFile(
        f"{FILES}/budget.pdf",
        (
            ListedTable(
                source=_csv("stream", "budget"),
                rows=(4, -1),
                merged=((1, 3),),
                spans=((0, 1, 1, 3), (0, 4, 1, 3), *_down((0, 7, 8))),
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/agstat.pdf",
        (
            ListedTable(
                source=_csv("lattice", "agstat"),
                texts=tuple((0, 2 + k, text) for k, text in enumerate(_SURPLUS)),
                spans=(*_down(tuple(range(6))), (0, 6, 1, 3), (0, 9, 1, 2)),
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/background_lines_2.pdf", (ListedTable(source=_csv("lattice", "background_lines_2"), spans=_SIZES),)
    ),
    ListedFile(
        f"{FILES}/column_span_1.pdf",
        (
            ListedTable(
                source=_csv("lattice", "column_span_1"), spans=(*_down((0, 1, 2, 7)), (0, 3, 1, 2), (0, 5, 1, 2))
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/assam.pdf",
        (
            ListedTable(
                area=(30, 90, 560, 775),
                edges=(30, 142, 190, 236, 282, 329, 375, 420, 466, 513, 560),
                spans=((0, 1, 1, 9), (1, 1, 1, 3), (1, 4, 1, 3), (1, 7, 1, 3), (0, 0, 3, 1)),
            ),
        ),
    ),
    ListedFile(f"{FILES}/issue_288.pdf", (ListedTable(area=(50, 55, 420, 530), edges=(50, 175, 280, 345, 420)),)),
    ListedFile(
        f"{FILES}/hybrid_multipage.pdf",
        tuple(ListedTable(page=page, area=(50, 60, 500, 160), edges=(50, 200, 380, 500)) for page in (1, 2)),
    ),
    ListedFile(
        f"{FILES}/good_energy.pdf",
        (
            ListedTable(area=(53, 144, 530, 250), edges=(53, 280, 530), merged=((1, 6),)),
            ListedTable(
                area=(53, 268, 530, 446),
                edges=_ENERGY,
                merged=((1, 4),),
                spans=((0, 2, 1, 2), (0, 4, 1, 3), (0, 7, 1, 2)),
            ),
            ListedTable(
                area=(53, 456, 330, 634), edges=(53, 150, 190, 228, 282, 330), merged=((1, 4),), spans=((0, 2, 1, 3),)
            ),
        ),
    ),
    ListedFile(
        f"{FILES}/rainfall_distribution.pdf",
        (
            ListedTable(
                area=(30, 105, 560, 640),
                edges=(30, 60, 188, 235, 282, 326, 372, 420, 466, 512, 560),
                merged=((1, 6),),
                spans=(
                    (0, 2, 1, 4),
                    (0, 6, 1, 4),
                    *_down((0, 1)),
                    *((row, 0, 1, 10) for row in (2, 14, 24, 33)),
                ),
            ),
            ListedTable(area=(30, 670, 560, 768), edges=(30, 188, 372, 560), merged=((1, 3),), spans=_down((0,))),
        ),
    ),
    ListedFile(
        "grobid/grobid-core/src/test/resources/test/Wang-paperAVE2008.pdf",
        (
            ListedTable(
                page=4,
                area=(70, 470, 530, 670),
                edges=(70, 200, 250, 305, 365, 445, 530),
                merged=((0, 3),),
            ),
        ),
    ),
    ListedFile(
        "grobid/doc/GROBID.pdf",
        (ListedTable(page=11, area=(60, 90, 648, 470), edges=(60, 270, 370, 480, 565, 648), merged=((4, 7),)),),
    ),
    ListedFile(
        "grobid/grobid-service/src/main/resources/web/resources/pdf.js/web/compressed.tracemonkey-pldi-09.pdf",
        (ListedTable(page=12, area=(60, 70, 560, 330), edges=(60, 160, 195, 227, 262, 298, 338, 390, 445, 502, 560)),),
    ),
    ListedFile(
        "pdfminer/samples/nonfree/naacl06-shinyama.pdf",
        (
            ListedTable(page=6, area=(313, 70, 540, 152), edges=(313, 455, 540)),
            ListedTable(page=7, area=(104, 270, 270, 353), edges=(104, 212, 270)),
            ListedTable(page=7, area=(72, 380, 305, 492), edges=(72, 265, 305)),
            ListedTable(page=8, area=(72, 74, 300, 250), edges=(72, 165, 215, 300)),
            ListedTable(page=8, area=(72, 417, 300, 518), edges=(72, 125, 260, 300)),
            ListedTable(page=8, area=(80, 603, 300, 684), edges=(80, 165, 215, 300)),
        ),
    ),
    ListedFile(
        "docling/tests/data/odf/sources/odf_table_with_title_01.ods.pdf",
        (ListedTable(area=(100, 115, 400, 205), edges=(100, 200, 400)),),
    ),
)
EXPECTED_JSON = (
    DoclingFile(f"{DOCLING}/redp5110_sampled.pdf", (1, 3, 4, 5)),
    DoclingFile(f"{DOCLING}/normal_4pages.pdf", (0,)),
)
