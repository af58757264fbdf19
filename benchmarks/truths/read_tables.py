"""Tables that no project lists and rules are tuned on: a person looked at each page and read off where its cells stand.

Drawn pages were looked at; what was written down is the edges of rows and columns (points from the left and top of the
page as it is seen), the cells that reach over several, and text that words alone do not give. Words are the text
layer's own. Titles, notes and sources are no cells. None of these files is in another set of tables.
"""

from __future__ import annotations

from itertools import accumulate

from benchmarks.truths.tables import ListedFile, ListedTable, Span

_TIKA = (
    "tika/tika-parsers/tika-parsers-standard/tika-parsers-standard-modules/tika-parser-pdf-module/src/test/resources"
)
_TAXES = "tika/tika-app/src/test/resources/test-data/testPDF_childAttachments.pdf"  # Publication 15 (2013)


def _even(start: float, step: float, num: int) -> tuple[float, ...]:
    """Edges at equal distances."""
    return tuple(start + k * step for k in range(num + 1))


def _across(row: int, first: int, *widths: int) -> tuple[Span, ...]:
    """Cells side by side, each over so many columns."""
    return tuple((row, column, 1, width) for column, width in zip(accumulate((first, *widths)), widths, strict=False))


def _scaled(scale: float, *edges: float) -> tuple[float, ...]:
    """Edges read off a picture of so many pixels per point."""
    return tuple(round(edge / scale, 1) for edge in edges)


def _from(start: float, scale: float, *edges: float) -> tuple[float, ...]:
    """The same, off a picture of a part of the page."""
    return tuple(start + edge / scale for edge in edges)


_ELECTION = 1.5556  # pixels per point of the pictures that edges were read off
_NETWORK = 1.553
_WAGES = 1.601
_DISEASES = 1.5

READ = (
    ListedFile(
        "camelot/docs/benchmark/stream/12s0324/12s0324.pdf",
        (
            ListedTable(
                area=(36, 69, 385, 316),
                edges=(36, 138, 167, 193, 220, 246, 274, 302, 329, 357, 385),
                merged=((1, 3), (5, 7), (26, 28)),
                spans=((0, 0, 2, 1), *_across(0, 1, 3, 3, 3)),
            ),
            ListedTable(area=(36, 364, 385, 594), edges=(36, 175, 217, 258, 300, 341, 385), merged=((0, 3),)),
        ),
    ),
    ListedFile(
        "camelot/tests/files/vertical_header.pdf",
        (
            ListedTable(
                edges=_scaled(_ELECTION, 10, *_even(135, 40.54, 26)),
                levels=_scaled(_ELECTION, 152, 174, 212, 392, *_even(424, 31.45, 10), 770, 812),
                spans=(*_across(0, 3, 4, 5, 4, 2, 2, 7), *_across(1, 3, 4, 3, 2, 2, 2, 2, 2, 2), (1, 24, 1, 2)),
                texts=((2, 18, "Al Scully"),),
            ),
        ),
    ),
    ListedFile(
        "camelot/tests/files/vertical_header.pdf",
        (
            ListedTable(
                page=4,
                edges=(10, *_even(111, 37.1, 10)),
                levels=(100, 140, 252, *_even(272, 20.2, 10), 496, 525),
                spans=_across(0, 1, 2, 2, 2, 2, 2),
            ),
        ),
    ),
    ListedFile(
        "camelot/docs/_static/pdf/column_separators.pdf",
        (
            ListedTable(
                edges=_scaled(1.5, 44, 107, 148, 316, 490, 665, 806, 850, 911, 1026, 1100),
                levels=_scaled(
                    1.5,
                    *(88, 120, 136, 168, 184, 216, 248, 280, 312, 328, 360, 376, 408, 440, 472, 488, 520, 552, 584),
                    *(616, 648, 680, 712, 744, 776, 808, 841),
                ),
            ),
        ),
    ),
    ListedFile(
        f"{_TIKA}/test-documents/testPDF_protected.pdf",
        (
            ListedTable(page=37, area=(84, 134, 511, 192), edges=(84, 207, 308, 409, 511)),
            ListedTable(
                page=37,
                edges=(89, 183, 375, 465),
                levels=_scaled(_NETWORK, 383, 420, *_even(445, 19.5, 4), 550, 600, 628, 648.5, 669, 697),
                texts=(
                    (0, 0, "Typical contract details(a)"),
                    (0, 1, ""),
                    (7, 0, "Metrics of complexity(a)"),
                    (7, 1, ""),
                ),
            ),
            ListedTable(
                page=37,
                edges=(89, 209, 331, 359, 404, 461, 524),
                levels=_scaled(_NETWORK, 899, 927, 953, 975, 996, 1017, 1040, 1062, 1083, 1104, 1126),
                spans=((0, 1, 2, 1), (0, 2, 1, 4), (2, 0, 4, 1), (6, 0, 4, 1)),
            ),
        ),
    ),
    ListedFile(
        "grobid/grobid-core/src/test/resources/test/test_Grobid_1_05452615.pdf",
        (
            ListedTable(page=4, area=(60, 400, 300, 500), edges=(60, 120, 170, 210, 250, 300)),
            ListedTable(
                page=4,
                area=(315, 70, 560, 182),
                edges=(315, 380, 428, 475, 522, 560),
                merged=((1, 3), (3, 5), (5, 7), (7, 9)),
            ),
            ListedTable(page=4, area=(315, 303, 560, 395), edges=(315, 380, 415, 448, 482, 522, 560), merged=((0, 3),)),
            ListedTable(page=4, area=(315, 477, 560, 570), edges=(315, 380, 415, 448, 465, 495, 560)),
        ),
    ),
    ListedFile(
        "camelot/tests/files/row_span_3.pdf",
        (
            ListedTable(
                edges=_scaled(_DISEASES, 31, 72, 178, 279, 412, 462, 519, 597, 666, 752, 1160),
                levels=_scaled(_DISEASES, 58, 114, 278, 408, 490, 572, 671, 755),
                spans=((3, 0, 4, 1), (3, 1, 4, 1)),
            ),
        ),
    ),
    ListedFile(
        _TAXES,
        (
            ListedTable(page=26, edges=(315, 442.8, 570), levels=(52.7, 76.5, 101.6, 130)),
            ListedTable(page=26, edges=(330.9, 447.3, 558), levels=(378, 413.5, 429, 454.7)),
            ListedTable(
                page=26,
                area=(315, 530, 570, 606),
                edges=(315, 392.6, 442.8, 515.4, 570),
                spans=_across(0, 0, 2, 2),
            ),
        ),
    ),
    ListedFile(
        _TAXES,
        (
            ListedTable(
                page=39,
                edges=_scaled(_ELECTION, 66, 349, 534, 706, 886),
                levels=_scaled(
                    _ELECTION,
                    *(55, 83, 147, 182, 202, 253, 277, 297, 337, 362, 462, 533, 557, 622, 695, 719, 773, 824, 867),
                    *(899, 976),
                ),
                spans=((0, 0, 2, 1), (0, 1, 1, 3), (17, 1, 1, 3)),
            ),
        ),
    ),
    ListedFile(
        _TAXES,
        (
            ListedTable(page=42, area=(314, 183, 570, 307), edges=(314, 493, 570), merged=((0, 2), (9, 11))),
            ListedTable(
                page=42,
                area=(314, 381, 570, 469),
                edges=(314, 333.4, 489.7, 521.9, 570),
                merged=((4, 6), (6, 8)),
            ),
        ),
    ),
    ListedFile(
        _TAXES,
        (
            ListedTable(
                page=46,
                area=(40, 75, 571, 750),
                edges=_scaled(_WAGES, 67, 137, 200, *_even(265, 64.1, 9), 914),
                merged=((2, 4),),
                spans=((0, 0, 1, 2), (0, 2, 1, 11), (1, 0, 2, 1), (1, 1, 2, 1), (2, 2, 1, 11)),
            ),
        ),
    ),
    ListedFile(
        f"{_TIKA}/test-documents/testPDF_bad_page_303226.pdf",
        (
            ListedTable(
                page=9,
                area=(131, 457, 482, 587),
                edges=(131, 209.9, 288.6, 335.4, 363.5, 442.8, 482),
                merged=((0, 2),),
            ),
        ),
    ),
    ListedFile(
        "pdfminer/samples/contrib/issue-00352-asw-oct96-p41.pdf",
        (
            ListedTable(
                edges=_from(50, 1.6, 18, 130, 380, 570, 698, 828),
                levels=_from(
                    80,
                    1.6,
                    *(65, 96, 126, 186, 214, 242, 272, 316, 343, 388, 418, 462, 490, 535, 564, 609, 637, 714, 742),
                    *(788, 816, 877, 905, 980),
                ),
                spans=tuple((row, 0, 1, 5) for row in range(2, 24, 2)),
            ),
        ),
    ),
    ListedFile(
        "grobid/grobid-core/src/test/resources/test/test_Grobid_2_05982691.pdf",
        (
            *(
                ListedTable(
                    page=3,
                    edges=_from(30, 2.0, 82, 181, 314, 531),
                    levels=_from(540, 2.0, *levels),
                    spans=tuple((row, 1, 1, 2) for row in wide),
                )
                for levels, wide in (((72, 95, 127, 160), (2,)), ((208, 232, 263, 298), (1, 2)))
            ),
            *(
                ListedTable(page=3, edges=_from(30, 2.0, *edges), levels=_from(540, 2.0, *levels))
                for edges, levels in (
                    ((570, 683, 795, 907, 1020), (-38, -16, 14)),
                    ((570, 683, 795, 907, 1020), (61, 83, 113)),
                    ((627, 738, 850, 963), (162, 185, 212)),
                    ((570, 683, 795, 907, 1020), (260, 284, 312)),
                )
            ),
        ),
    ),
    ListedFile(
        "docling-parse/tests/data/regression/table_of_contents_01.pdf",
        (ListedTable(page=3, area=(153, 532, 457, 706), edges=(153, 260.7, 305, 349.8, 403, 457)),),
    ),
    ListedFile(
        "EPA_MOVES_Model/docs/InstallationTroubleshooting.pdf",
        (
            ListedTable(page=7, edges=(72.3, 180, 432.7, 539.9), levels=(72.2, 86.2, 100.1, 114, 127.9, 141.9, 155.9)),
            ListedTable(page=7, edges=(119.4, 218.2, 294.8, 492.8), levels=(230.3, 244.2, 258.2, 272.1, 286)),
        ),
    ),
    ListedFile(
        "fpc.gov/assets/pdf/Privacy-Toolkit-1-13-2017.pdf",
        (
            ListedTable(page=24, edges=(144, 297.1, 346.6, 409.6), levels=_even(72.2, 20.3, 8)),
            ListedTable(page=24, edges=(144, 297.1, 346.6, 409.6), levels=_even(313.1, 20.3, 11)),
        ),
    ),
    ListedFile(
        "pdfminer/samples/contrib/issue-625-identity-cmap.pdf",
        (
            ListedTable(
                edges=(39.7, 56.7, 275, 303.3, 334.5, 388.4, 425.2, 489, 552.8), levels=(297.6, 310.1, 322.5, 334.9)
            ),
            ListedTable(edges=(39.7, 102.1, 164.4, 226.8, 289.1), levels=(349, 361.4, 373.8, 386.2)),
        ),
    ),
    ListedFile(
        "resources.data.gov/pages/assets/documents/2025-CDOCouncilSurveyResults-508Compliant.pdf",
        (
            ListedTable(page=23, edges=(69.7, 269.7, 469.7, 678.7, 882.4), levels=(181.7, 232.1, 278.9, 325.8, 376.2)),
            ListedTable(page=23, edges=(69.7, 269.7, 469.7, 678.7, 882.4), levels=(418.4, 469.2, 498.4, 527.6)),
        ),
    ),
    ListedFile(
        "resources.data.gov/pages/assets/documents/data-innovation-event-playbook.pdf",
        (ListedTable(page=8, edges=(98.9, 189.1, 513.1), levels=_even(116.5, 14.31, 17)),),
    ),
)
