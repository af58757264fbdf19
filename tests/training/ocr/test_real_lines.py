"""Lines of scanned paper are cut out of their pages with a person's text."""

import json

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from training.fonts import FALLBACK, font_files
from training.ocr import real_lines
from training.ocr.batches import IDS, UNKNOWN, StripBatches, batch_of, real_drawings
from training.ocr.model import PAD
from training.ocr.real_lines import boxed, lines_of_kind, read_lines, squares_of, word_lines

WORDS = [
    {"text": "Date:", "box": [40, 40, 92, 60]},
    {"text": "May", "box": [100, 41, 140, 61]},
    {"text": "1968", "box": [146, 40, 190, 60]},
    {"text": "To:", "box": [300, 40, 330, 60]},
    {"text": "All", "box": [40, 80, 70, 100]},
]


def font():
    return ImageFont.truetype(next(path for path in font_files() if path.name == FALLBACK), 18)


@pytest.fixture
def sheet():
    page = Image.new("L", (400, 140), 255)
    for word in WORDS:
        ImageDraw.Draw(page).text(word["box"][:2], word["text"], font=font(), fill=0)
    return np.asarray(page)


class Perfect:
    """Reads as many lines as there are, as they were drawn."""

    def __init__(self, texts):
        self._texts = texts

    def joined(self, lines):
        assert len(lines) == len(self._texts)
        return self._texts


def test_words_are_joined_with_those_beside_them_alone():
    """A field's words run over several printed lines; two fields of one row are two lines."""
    assert word_lines(WORDS) == [
        ("Date: May 1968", (40, 40, 190, 61)),
        ("To:", (300, 40, 330, 60)),
        ("All", (40, 80, 70, 100)),
    ]


def test_lines_of_known_boxes_are_cut_there(sheet):
    """A truth beside another line's picture counts errors that nobody made."""
    lines = dict(boxed({"words": WORDS, "lines": []}, sheet))
    assert lines["All"].shape == (22, 36)
    assert min(line.min() for line in lines.values()) < 50


def test_of_a_line_and_a_rule_below_it_the_line_is_read():
    """The rule of a form, or the feet of the line above, would be read instead."""
    picture = Image.new("L", (200, 44), 255)
    draw = ImageDraw.Draw(picture)
    draw.text((10, 2), "Kapuler Research", font=font(), fill=0)
    alone = np.asarray(picture).copy()
    draw.line((10, 42, 190, 42), fill=0, width=2)
    both = np.asarray(picture)
    assert len(squares_of(both)) == 1
    assert np.abs(squares_of(both)[0].astype(int) - squares_of(alone)[0]).mean() < 2


def test_a_books_lines_are_those_that_are_read_nearly_as_its_text_has_them(tmp_path):
    """A line that was aligned by chance would be measured against a text that it does not show."""
    page = Image.new("L", (600, 160), 255)
    drawing = ("A RUNNING HEAD", "He was a man of great renown,", "and it is said that he left.")
    for k, text in enumerate(drawing):
        ImageDraw.Draw(page).text((20, 20 + 45 * k), text, font=font(), fill=0)
    page.save(tmp_path / "page.png")
    truth = {"file": "page.png", "split": "judge", "text": " ".join(drawing[1:]), "lines": [], "words": []}
    (tmp_path / "truth.json").write_text(json.dumps([truth]))
    read = Perfect(["A RUNNING HEAD", "He was a rnan of great renown,", "and it is said that he left"])
    lines = lines_of_kind(tmp_path, "judge", read, 10)
    assert sorted(text for text, _ in lines) == sorted(drawing[1:])
    assert lines_of_kind(tmp_path, "tune", read, 10) == []


def test_a_folder_of_lines_is_read_back(tmp_path, sheet):
    Image.fromarray(sheet[36:64]).save(tmp_path / "0000.png")
    (tmp_path / real_lines.LIST).write_text("file,text\n0000.png,Date: May 1968\n")
    (line,) = read_lines(tmp_path)
    assert line.text == "Date: May 1968"
    assert line.squares[0].shape == (256, 256, 3)
    assert read_lines(tmp_path / "none") == []


def test_lines_of_paper_are_learnt_from_but_ask_for_no_places(tmp_path, sheet):
    """Nobody knows where their letters stand: asked for, the answer would be "nowhere"."""
    Image.fromarray(np.ascontiguousarray(sheet[36:64, :240])).save(tmp_path / "0000.png")
    (tmp_path / real_lines.LIST).write_text("file,text\n0000.png,Date: May 1968\n")
    (drawing,) = real_drawings(tmp_path)
    batch = batch_of([drawing, ("", drawing[1], drawing[2])], 2)
    assert (batch.places[0] == UNKNOWN).all()
    assert (batch.places[1] == PAD).all()
    assert (batch.looks[0] == -1).all()
    printed = real_drawings(tmp_path)
    strips = StripBatches(1, 8, 20, {"plain": 1}, real=printed)
    texts = [tuple(row.tolist()) for _, batch in zip(range(60), strips, strict=False) for row in batch.targets]
    expected = [IDS[char] for char in "Date: May 1968"]
    assert any(list(text[: len(expected)]) == expected for text in texts)
