"""Pages for the trial of rules have the truth of their drawing, and pictures say nothing but by their pixels."""

from __future__ import annotations

from collections import Counter

import pymupdf
import pytest

from benchmarks.truths.drawn_truth import drawn_truth
from training.structure.drawings.texts import installed_texts
from training.structure.drawings.trial_pages import MAX_PAGES, Trial, trials, write
from training.structure.drawings.typst.documents import draw


@pytest.fixture(scope="module")
def paper():
    return draw(987_000_003, installed_texts(), "paper")


def test_every_kind_is_drawn_in_each_round_and_no_seed_twice():
    listed = list(trials(2))
    kinds = Counter((trial.typesetter, trial.kind) for trial in listed)
    assert min(kinds.values()) >= 2
    assert len({trial.seed for trial in listed}) == len(listed)
    assert {trial.form for trial in listed} == {"printed", "tagged", "scanned", "read whole"}


def test_lines_have_the_roles_blocks_and_order_of_the_drawing(tmp_path, paper):
    path = tmp_path / "a.pdf"
    write(Trial("typst", "paper", 987_000_003, "printed"), paper, path)
    pages = drawn_truth(path).pages
    assert 1 <= len(pages) <= MAX_PAGES
    for page in pages:
        with pymupdf.open(path) as pdf:
            printed = pdf[page.number - 1].get_text().split()
        words = [word.text for line in page.lines for word in line.words]
        assert not Counter("".join(words)) - Counter("".join(printed))  # nothing that is not printed
        for line in page.lines:
            if line.role in ("text", "heading"):
                assert line.rank is not None
                assert paper.blocks[line.block].role == line.role
    assert {"text", "heading"} <= {line.role for line in pages[0].lines}


def test_cells_are_in_their_places_and_have_the_words_of_the_drawing(tmp_path):
    document = draw(987_000_017, installed_texts(), "table pages")
    path = tmp_path / "a.pdf"
    write(Trial("typst", "table pages", 987_000_017, "printed"), document, path)
    (page, *_) = drawn_truth(path).pages
    drawn_cells = {
        (block.cell.table, block.cell.row, block.cell.column) for block in document.blocks.values() if block.cell
    }
    places = [(cell.table, cell.row, cell.column) for cell in page.cells]
    assert len(places) > 10
    assert set(places) <= drawn_cells
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("form", ["scanned", "read whole"])
def test_a_page_that_ocr_is_to_read_is_a_picture_of_the_same_size(tmp_path, paper, form):
    printed, scanned = tmp_path / "a.pdf", tmp_path / "b.pdf"
    write(Trial("typst", "paper", 0, "printed"), paper, printed)
    write(Trial("typst", "paper", 0, form), paper, scanned)
    with pymupdf.open(printed) as one, pymupdf.open(scanned) as other:
        assert [page.rect for page in one] == [page.rect for page in other]
        assert not any(page.get_text().strip() for page in other)
    assert drawn_truth(scanned).pages == drawn_truth(printed).pages
