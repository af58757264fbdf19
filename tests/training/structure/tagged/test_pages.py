"""Pages of tagged PDFs teach what their authors tagged, and nothing else; the PDFs are written object by object."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.segments.roles import ROLES
from tests.documents.tagged_making import Mark, tag, tagged_pdf
from training.structure.network.examples import NO_RANK, load
from training.structure.tagged.pages import (
    MAX_OF_FAMILY,
    MAX_PAGES,
    PAGES_PER_FILE,
    chosen_files,
    chosen_pages,
    examples,
    is_tuned_on,
    main,
)

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the boats leave."
LATER = "In the evening nobody was left on the quay but the keeper, who counted the boats and lit his lamp."
MARKS = [
    Mark("Harbour dues", y=80, size=16),
    *(Mark(PROSE, y=110 + 14 * k) for k in range(3)),
    *(Mark(LATER, y=170 + 14 * k) for k in range(2)),
    Mark("Boat", x=60, y=300),
    Mark("Dues", x=300, y=300),
    Mark("Skiff", x=60, y=320),
    Mark("12.50", x=300, y=320),
    Mark("1. a first item", x=80, y=400),
    Mark("2. a second one", x=80, y=440),
]
ROWS = [tag("TR", *(tag("TD", 6 + 2 * row + column) for column in range(2))) for row in range(2)]
TREE = tag(
    "Document",
    tag("H1", 0),
    tag("P", 1, 2, 3),
    tag("P", 4, 5),
    tag("Table", *ROWS),
    tag("L", tag("LI", 10), tag("LI", 11)),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.pdf").write_bytes(tagged_pdf(TREE, MARKS, artifacts=[Mark("Page 4", y=770)]))
    return tmp_path / "set" / "a.pdf"


def test_roles_blocks_and_order_are_those_of_the_tags(path):
    (example,) = examples(path)
    role = {
        text: None if index < 0 else ROLES[index]
        for text, index in zip(example.tokens.texts, example.role, strict=True)
    }
    assert role["Harbour dues"] == "heading"
    assert role[PROSE] == role[LATER] == "text"
    assert {role[text] for text in ("Boat", "Dues", "Skiff", "12.50")} == {"table"}
    assert role["1. a first item"] == role["2. a second one"] == "list_item"
    assert role["Page 4"] == "page_number"
    blocks = dict(zip(example.tokens.texts, example.block.tolist(), strict=True))
    assert blocks["Boat"] == blocks["Page 4"] == -1, "a table is no paragraph, and an artifact is no text"
    assert len({blocks[text] for text in ("Harbour dues", PROSE, LATER, "1. a first item", "2. a second one")}) == 5
    prose = [block for text, block in zip(example.tokens.texts, example.block, strict=True) if text == PROSE]
    assert len(prose) == 3
    assert len(set(prose)) == 1
    rank = dict(zip(example.tokens.texts, example.rank.tolist(), strict=True))
    assert rank["Page 4"] == NO_RANK
    assert (
        rank["Harbour dues"]
        < rank[PROSE]
        < rank[LATER]
        < rank["Boat"]
        < rank["1. a first item"]
        < rank["2. a second one"]
    )


def test_pages_whose_tags_say_little_teach_nothing(tmp_path):
    """Guards against a page of which most is unknown, and against files that cannot be opened."""
    (tmp_path / "loose.pdf").write_bytes(tagged_pdf(tag("Document", tag("P", 0)), MARKS[:1], loose=MARKS[1:]))
    (tmp_path / "headings.pdf").write_bytes(tagged_pdf(tag("Document", *(tag("H1", k) for k in range(12))), MARKS))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7")
    assert [list(examples(tmp_path / f"{name}.pdf")) for name in ("loose", "headings", "broken")] == [[], [], []]


def test_pages_are_spread_over_a_document():
    """Guards against the first pages of long documents only, and against more of them than MAX_PAGES."""
    assert chosen_pages(3) == [1, 2, 3]
    numbers = chosen_pages(100)
    assert (len(numbers), numbers[0], numbers[-1]) == (MAX_PAGES, 1, 100)


def test_a_document_is_taken_once_and_of_a_family_a_few(tmp_path):
    folder = next(
        tmp_path / name
        for name in ("a", "b", "c", "d")
        if is_tuned_on(tmp_path / name, tmp_path / name / "report 1.pdf")
    )
    folder.mkdir()
    for number in range(MAX_OF_FAMILY + 3):
        (folder / f"report {number}.pdf").write_bytes(b"%d" % (number // 2))
    names = [path.name for path in chosen_files([folder], {".pdf"})]
    assert names[0] == "report 0.pdf"
    assert len(names) == (MAX_OF_FAMILY + 4) // 2
    for number in range(2 * MAX_OF_FAMILY):
        (folder / f"report {number}.pdf").write_bytes(b"other %d" % number)
    assert len(list(chosen_files([folder], {".pdf"}))) == MAX_OF_FAMILY


def test_the_half_that_judges_is_not_learnt(path, tmp_path, capsys):
    """Guards against pages on which the benchmark of headings judges."""
    names = [f"{chr(97 + k)}x.pdf" for k in range(20)]
    for name in names:
        (path.parent / name).write_bytes(path.read_bytes() + name.encode())
    tuned = [name for name in ("a.pdf", *names) if is_tuned_on(path.parent, path.parent / name)]
    assert 0 < len(tuned) < 21 < PAGES_PER_FILE
    assert main([str(tmp_path / "out"), str(path.parent)]) == 0
    (file,) = (tmp_path / "out").glob("*.pages")
    assert len(list(load(file))) == len(tuned)
    assert capsys.readouterr().out.splitlines()[-1] == f"{len(tuned)} pages of {len(tuned)} documents"
