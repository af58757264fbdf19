"""The files of one document are judged together, and what nobody sees of a truth is not asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from benchmarks.tables import PARTS, Answer, Material, listed, means, peers, scored


@dataclass
class Cell:
    text: str
    rows: int = 1
    cols: int = 1


def table(*rows):
    return [[Cell(text) for text in row] for row in rows]


def texts(of):
    return [[cell.text for cell in row] for row in of]


@pytest.fixture
def corpus():
    """Truth and result are lines of cells; alike or not is all that counts."""
    return SimpleNamespace(
        tables=lambda text: [table(*(line.split("|") for line in text.splitlines()))] if text else [],
        table_score=lambda expected, actual: float([texts(one) for one in expected] == [texts(one) for one in actual]),
    )


def material(tmp_path, truth, part="held"):
    return Material(tmp_path / "log.pdf", (1,), truth, part)


def test_pages_of_one_document_are_on_one_side_of_the_split(tmp_path):
    """Guards against a rule that is tuned on one page of a report and judged by the next."""
    for name in ("ice-p1", "ice-p12", "ice-p3", "log_1", "log_2", "crew", "us-006", "us-015"):
        (tmp_path / f"{name}.pdf.md").write_text("<!-- pages: 2 5 -->")
    by_name = {item.path.name: item for item in listed([tmp_path])}
    assert len({by_name[f"ice-p{n}.pdf"].part for n in (1, 12, 3)}) == 1
    assert by_name["log_1.pdf"].part == by_name["log_2.pdf"].part
    assert {item.part for item in by_name.values()} == set(PARTS)
    assert by_name["crew.pdf"].pages == (2, 5)


def test_a_truth_that_names_its_part_is_of_that_one_and_leaves_the_others_where_they_are(tmp_path):
    """Guards against tables to tune on that shift what is held back."""
    for name in ("crew", "hull", "ice", "log"):
        (tmp_path / f"{name}.pdf.md").write_text("")
    before = {item.path.name: item.part for item in listed([tmp_path])}
    (tmp_path / "fog.pdf.md").write_text("<!-- pages: 2 -->\n\n<!-- part: read -->")
    assert {item.path.name: item.part for item in listed([tmp_path])} == before | {"fog.pdf": "read"}


def test_empty_outer_rows_and_columns_are_not_wanted_of_anybody(tmp_path, corpus):
    """Guards against a truth whose first row and column nobody can see."""
    truth, result = "||\n|Boat|Crew\n|Alma|6", "Boat|Crew\nAlma|6"
    (row,) = scored([material(tmp_path, truth)], {"ours": [Answer(result, 0.5)]}, corpus)
    assert row["ours_table"] == 1.0
    assert row["ours_table_as_is"] == 0.0


def test_an_empty_cell_beside_filled_ones_is_wanted(tmp_path, corpus):
    truth, result = "|Crew\nAlma|6", "Crew\n6"
    (row,) = scored([material(tmp_path, truth)], {"ours": [Answer(result, 0.5)]}, corpus)
    assert row["ours_table"] == 0.0


def test_a_page_without_a_table_is_right_where_none_is_found(tmp_path, corpus):
    page = material(tmp_path, "")
    rows = scored([page, page], {"ours": [Answer("", 0.5), Answer("a|b", 0.5)]}, corpus)
    assert [row["ours_no_table"] for row in rows] == [1.0, 0.0]
    assert means(rows)["ours_no_table_held"] == 0.5


def test_a_library_that_ends_has_no_tables_and_the_reason_is_kept(tmp_path):
    """Guards against a comparison from which the files are missing that a library does not survive."""
    answers, versions = peers("no such side", sys.executable, [material(tmp_path, "a|b")])
    assert versions == {}
    assert [(answer.markdown, answer.error) for answer in answers] == [("", "KeyError: 'no such side'")]
