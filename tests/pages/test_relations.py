"""What must not change the words of a page and their order: how it is turned, framed and scaled, and its book.

The files are transformed with PyMuPDF. The oracle is what the library reads of the untouched file, so a page that is
not read right yet takes part too. One page in four is tested always, the others where slow tests run.
"""

from __future__ import annotations

import json
import re
from collections import Counter

import pymupdf
import pytest

from documents.exports.plain_text import plain_text
from tests.pages.accepted_pages import FOLDER, names, relation_gaps

STEP = 4
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")  # Han and Kana have no spaces
GAPS = relation_gaps()


def turned(document: pymupdf.Document) -> None:
    """The page lies on its side."""
    document[0].set_rotation((document[0].rotation + 90) % 360)


def wider(document: pymupdf.Document) -> None:
    """The page stands in the middle of one that is half as wide again."""
    box = document[0].mediabox
    document[0].set_mediabox(pymupdf.Rect(box.x0 - box.width / 4, box.y0, box.x1 + box.width / 4, box.y1))


def halved(document: pymupdf.Document) -> None:
    """The page is printed at half its size."""
    width, height = document[0].rect.br
    with pymupdf.open(stream=document.tobytes()) as source:
        small = document.new_page(width=width / 2, height=height / 2)
        small.show_pdf_page(small.rect, source, 0)
    document.delete_page(0)


def twice(document: pymupdf.Document) -> None:
    """The page is the first and the second one of its book; what stands on both is no running head for that."""
    with pymupdf.open(stream=document.tobytes()) as source:
        document.insert_pdf(source)


def _pages(relation: str):
    """The pages of one relation; those that do not keep it yet are expected to fail."""
    pages = []
    for index, name in enumerate(names()):
        marks = [pytest.mark.slow] if index % STEP else []
        cause = GAPS.get((relation, name))
        if cause is not None:
            marks.append(pytest.mark.xfail(reason=cause, raises=AssertionError, strict=True))
        pages.append(pytest.param(name, marks=marks))
    return pages


@pytest.fixture
def words(read):
    """The words of a file in their order."""
    return lambda path: WORD.findall(plain_text(read(path)))


@pytest.fixture
def transformed(tmp_path):
    """Writes the page of that name as `transform` leaves it."""

    def write(name, transform):
        with pymupdf.open(FOLDER / f"{name}.pdf") as document:
            transform(document)
            document.save(tmp_path / f"{name}.pdf")
        return tmp_path / f"{name}.pdf"

    return write


def _assert_same(words, expected):
    lost, new = Counter(expected) - Counter(words), Counter(words) - Counter(expected)
    assert not lost, f"lost {list(lost.elements())[:20]}"
    assert not new, f"new {list(new.elements())[:20]}"
    assert words == expected, "another order"


@pytest.mark.parametrize("name", _pages("turned"))
def test_a_page_that_lies_on_its_side_says_the_same(words, transformed, name):
    _assert_same(words(transformed(name, turned)), words(FOLDER / f"{name}.pdf"))


@pytest.mark.parametrize("name", _pages("wider"))
def test_a_page_with_wider_margins_says_the_same(words, transformed, name):
    _assert_same(words(transformed(name, wider)), words(FOLDER / f"{name}.pdf"))


@pytest.mark.parametrize("name", _pages("halved"))
def test_a_page_of_half_the_size_says_the_same(words, transformed, name):
    _assert_same(words(transformed(name, halved)), words(FOLDER / f"{name}.pdf"))


@pytest.mark.parametrize("name", _pages("twice"))
def test_a_page_that_its_book_has_twice_says_the_same_twice(words, transformed, name):
    _assert_same(words(transformed(name, twice)), 2 * words(FOLDER / f"{name}.pdf"))


def test_no_word_of_a_page_is_lost_in_a_long_book(words, tmp_path):
    """A book of one page in four, and all of these again behind one another, some 35 pages."""
    chosen = names()[::STEP]
    with pymupdf.open() as book:
        for name in 2 * chosen:
            with pymupdf.open(FOLDER / f"{name}.pdf") as page:
                book.insert_pdf(page)
        book.save(tmp_path / "book.pdf")
    alone = Counter(word for name in chosen for word in 2 * words(FOLDER / f"{name}.pdf"))
    lost = alone - Counter(words(tmp_path / "book.pdf"))
    assert not lost, f"lost {list(lost.elements())[:40]}"


def _shape(text: str) -> list[str]:
    """The kinds of the blocks of a Markdown text: levels of headings, sizes of lists and tables."""
    shapes: list[str] = []
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        if block.startswith("#"):
            shapes.append(block.split(" ")[0])
        elif block.startswith("|"):
            shapes.append(f"table {len(lines)} x {lines[0].count('|') - 1}")
        elif re.match(r"-|\d+\.", block):
            shapes.append(f"list {len(lines)}")
        else:
            shapes.append("text")
    return shapes


def _scripts():
    """The drawn pages beside the English ones, with their layouts."""
    drawn = json.loads((FOLDER / "drawn_texts.json").read_text(encoding="utf-8"))
    pages = []
    for layout, languages in drawn.items():
        for language in languages:
            name = f"{layout}_{language}"
            cause = GAPS.get(("shape", name))
            marks = [] if cause is None else [pytest.mark.xfail(reason=cause, raises=AssertionError, strict=True)]
            if language != "english":
                pages.append(pytest.param(layout, name, marks=marks))
    return pages


@pytest.mark.parametrize(("layout", "name"), _scripts())
def test_the_same_page_in_another_script_has_the_same_structure(read_markdown, layout, name):
    """Hebrew and Arabic pages are drawn in the mirror of the English one, the Chinese one has no spaces."""
    english = read_markdown(FOLDER / f"{layout}_english.pdf")
    assert _shape(read_markdown(FOLDER / f"{name}.pdf")) == _shape(english)
