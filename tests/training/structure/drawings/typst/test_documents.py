"""Drawn documents say of every word which block it belongs to."""

from __future__ import annotations

from collections import Counter

import pymupdf
import pytest

pytest.importorskip("typst")

from documents.segments.roles import ROLES
from training.structure.drawings.texts import Texts, installed_texts
from training.structure.drawings.typst import documents as documents
from training.structure.drawings.typst.documents import KINDS, draw, typeset, write
from training.structure.drawings.typst.style import installed_faces

NUM_SEEDS = 200
MIN_SHARE = 0.99


@pytest.fixture(scope="module")
def texts() -> Texts:
    return installed_texts()


def _words(content: bytes) -> list[tuple[str, list[int]]]:
    """Each word with the colours of its letters, by PyMuPDF."""
    words: list[tuple[str, list[int]]] = []
    for page in pymupdf.open(stream=content):
        for block in page.get_text("rawdict")["blocks"]:
            for line in block.get("lines", ()):
                letters = [(letter["c"], span["color"]) for span in line["spans"] for letter in span["chars"]]
                word: list[tuple[str, int]] = []
                for character, colour in [*letters, (" ", 0)]:
                    if not character.isspace():
                        word.append((character, colour))
                    elif word:
                        words.append(("".join(letter for letter, _ in word), [colour for _, colour in word]))
                        word = []
    return words


def test_the_same_seed_gives_the_same_bytes_and_blocks(texts):
    first = draw(11, texts)
    again = draw(11, texts)
    assert first.content == again.content
    assert first.blocks == again.blocks
    assert draw(12, texts).content != first.content


def test_every_role_occurs(texts):
    roles = Counter(block.role for seed in range(NUM_SEEDS) for block in write(seed, texts).blocks.values())
    assert set(roles) == set(ROLES)


def test_the_colour_of_a_word_is_that_of_one_block(texts):
    """A counter, mark or number that Typst writes itself had the colour of no block."""
    num_words = num_known = num_mixed = 0
    for seed in range(40):
        document = draw(seed, texts)
        for _, colours in _words(document.content):
            num_words += 1
            num_known += colours[0] in document.blocks
            num_mixed += len(set(colours)) > 1
    assert num_words > 5_000
    assert num_known >= MIN_SHARE * num_words
    assert num_mixed <= (1 - MIN_SHARE) * num_words


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_can_be_set(kind, texts):
    document = write(5, texts, kind)
    content = typeset(document.source())
    shown = {colour for _, colours in _words(content) for colour in colours}
    missing = set(document.blocks) - shown
    assert len(missing) <= 0.1 * len(document.blocks) + 2  # line numbers and furniture that no page needs


def test_documents_are_in_the_script_of_their_language(texts):
    scripts = ("arabic", "hebrew")
    if not all(script in texts.others and installed_faces(script) for script in scripts):
        pytest.skip("no Arabic and Hebrew texts and fonts are installed")
    scripts_drawn: set[str] = set()
    for seed in range(400):
        manuscript = write(seed, texts, "paper")
        script = manuscript.writer.language.script
        if script in ("arabic", "hebrew") and script not in scripts_drawn:
            letters = "".join(word for word, _ in _words(typeset(manuscript.source())))
            low, high = {"arabic": ("\u0600", "\u06ff"), "hebrew": ("\u0590", "\u05ff")}[script]
            assert sum(low <= letter <= high for letter in letters) > 0.3 * len(letters)
            scripts_drawn.add(script)
        if len(scripts_drawn) == 2:
            return
    pytest.fail("no document is in Arabic or Hebrew")


def test_another_document_is_drawn_where_one_cannot_be_set(texts, monkeypatch):
    tried: list[int] = []

    def first_is_wrong(seed: int, texts: Texts, kind: str | None):
        manuscript = write(seed, texts, kind)
        if not tried:
            manuscript.add("#no-such-function()")
        tried.append(seed)
        return manuscript

    monkeypatch.setattr(documents, "write", first_is_wrong)
    document = draw(3, texts)
    assert len(tried) == 2
    assert document.blocks == write(tried[1], texts).blocks


def test_nearly_all_documents_can_be_set_at_the_first_try(texts):
    """Blanks before brackets were missing once, and every tenth formula was an error."""
    failures = 0
    for seed in range(1000, 1060):
        try:
            typeset(write(seed, texts).source())
        except Exception:
            failures += 1
    assert failures <= 1
