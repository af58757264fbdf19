"""The truth of a drawn page is read back from its colours; the drawing is PyMuPDF's, so it is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.roles import ROLES
from documents.values import Source
from training.structure.drawings.drawn_document import Colours, DrawnBlock
from training.structure.drawings.truth import MAX_TOKENS, example_of
from training.structure.network.examples import NO_RANK, Example

PLACES: dict[str, tuple[float, float]] = {
    "Running head": (60, 40),
    "The harbour": (60, 80),
    "It was closed until the": (60, 110),
    "spring of that year.": (60, 124),
    "1. As the log has it.": (60, 700),
    "Ships came in May.": (330, 110),
    "Fig. 1: The quay.": (330, 300),
    "Then they left again.": (330, 400),
}
BLOCKS = {  # texts, and what they are: order is that of the reading, but of the note and the figure
    ("Running head",): DrawnBlock("page_header", 0.0),
    ("The harbour",): DrawnBlock("heading", 1.0, level=1),
    ("It was closed until the", "spring of that year."): DrawnBlock("text", 2.0),
    ("1. As the log has it.",): DrawnBlock("footnote", 9.0),
    ("Ships came in May.",): DrawnBlock("text", 3.0),
    ("Then they left again.",): DrawnBlock("text", 4.0),
    ("Fig. 1: The quay.",): DrawnBlock("caption", 8.0, floats=True),
}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Example | None]:
    """The example of a page on which each text has the colour of its block; some may have none."""

    def example(unknown: tuple[str, ...] = (), turn: int = 0, num_more: int = 0) -> Example | None:
        colours = Colours()
        truth = {colours.take(0x202020): block for block in BLOCKS.values()}
        colour_of = {text: colour for colour, texts in zip(truth, BLOCKS, strict=True) for text in texts}
        with pymupdf.open() as pdf:
            page = pdf.new_page(width=612, height=792)
            for text, place in PLACES.items():
                colour = 0xFFFF00 if text in unknown else colour_of[text]
                page.insert_text(place, text, fontsize=10, color=pymupdf.sRGB_to_pdf(colour))
            for k in range(num_more):
                page.insert_text((60 + 20 * (k % 8), 420 + 5 * (k // 8)), "x", fontsize=4, color=(1, 1, 0))
            page.set_rotation(turn)
            pdf.save(tmp_path / "page.pdf")
        with pymupdf.open(tmp_path / "page.pdf") as pdf:
            file = PdfFile(Source(path=str(tmp_path / "page.pdf"), media_type="application/pdf"), RenderLimits())
            try:
                return example_of(file.inspect(1), pdf[0], truth)
            finally:
                file.close()

    return example


def by_text(example: Example, name: str) -> dict[str, float]:
    return dict(zip(example.tokens.texts, getattr(example, name).tolist(), strict=True))


@pytest.mark.parametrize("turn", [0, 90, 180])
def test_roles_and_blocks_are_those_of_the_drawing(read, turn):
    """Also where the sheet is turned: the file's letters then lie elsewhere than the page's lines."""
    example = read(turn=turn)
    assert set(example.tokens.texts) == set(PLACES)
    roles, blocks = by_text(example, "role"), by_text(example, "block")
    for texts, block in BLOCKS.items():
        assert {ROLES[int(roles[text])] for text in texts} == {block.role}
        assert len({blocks[text] for text in texts}) == 1
    assert len(set(blocks.values())) == len(BLOCKS)


def test_notes_follow_the_text_above_them_and_floats_what_they_stand_under(read):
    """Guards against a footnote that is taught to be read last, after the other column."""
    example = read()
    rank = by_text(example, "rank")
    order = sorted((text for text in PLACES if rank[text] > NO_RANK), key=lambda text: rank[text])
    assert order == [
        "The harbour",
        "It was closed until the",
        "spring of that year.",
        "1. As the log has it.",
        "Ships came in May.",
        "Fig. 1: The quay.",
        "Then they left again.",
    ]
    assert rank["Running head"] == NO_RANK


def test_a_line_of_no_block_is_unknown(read):
    few = read(unknown=("The harbour",))
    assert few is None, "one line of eight is too much"
    example = read(num_more=0)
    assert (example.role >= 0).all()


def test_pages_that_teach_little_are_left_out(read):
    assert read(unknown=tuple(PLACES)) is None
    assert read(num_more=MAX_TOKENS) is None


def test_the_truth_does_not_show_in_what_the_network_is_given(read):
    """Guards against a network that reads the codes: all blocks of the page are of one colour to it."""
    colours = read().tokens.colour
    assert (colours == colours[0]).all()
    assert colours[0].tolist() == pytest.approx([0x20 / 240] * 3)
    assert not np.isnan(colours).any()
