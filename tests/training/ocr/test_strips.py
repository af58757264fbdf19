"""Synthetic strips tell where each of their characters stands."""

import random

import numpy as np
import pytest
from PIL import ImageFont

from documents.ocr_input.strip_folding import SQUARE_SIDE, STRIP_HEIGHT
from training.fonts import NoFonts, font_files
from training.ocr import fonts
from training.ocr.characters import CHARS
from training.ocr.strips import StripPress
from training.ocr.texts import Writer


def test_one_seed_gives_one_stream_of_strips():
    """A run that goes on, and a measurement, must be repeatable."""
    one, two = (StripPress(5) for _ in range(2))
    for _ in range(8):
        (text, rows, where), (other_text, other_rows, other_where) = one.strip(30), two.strip(30)
        assert text == other_text
        assert np.array_equal(rows, other_rows)
        assert np.array_equal(where, other_where)


def test_each_character_of_a_strip_has_its_column():
    """Without its place a character cannot help the eyes to learn."""
    press = StripPress(7)
    for _ in range(12):
        text, rows, where = press.strip(40, hard=0.0)
        assert set(text) <= set(CHARS)
        assert rows.shape[1:] == (STRIP_HEIGHT, SQUARE_SIDE)
        assert len(where) == len(rows) * SQUARE_SIDE // 8
        result = [k for k in where.tolist() if k >= 0]
        assert result == sorted(result)
        assert len(result) >= 0.8 * len(text)  # narrow letters share a column


def test_held_out_texts_are_never_trained_on():
    """A checkpoint measured on what it has seen looks better than it is."""
    trained, held_out = Writer(random.Random(0)), Writer(random.Random(0), held_out=True)
    assert not set(trained._prose) & set(held_out._prose)
    assert not set(trained._words) & set(held_out._words)


@pytest.mark.parametrize("genre", ["form", "receipt"])
def test_texts_of_paper_are_of_known_characters_and_within_their_length(genre):
    """A character without a token, or a text longer than its row, ends a run."""
    writer = Writer(random.Random(3))
    texts = [getattr(writer.paper, genre)(30) for _ in range(400)]
    assert all(0 < len(text) <= 30 and set(text) <= set(CHARS) and "  " not in text for text in texts)
    assert sum(any(c.isdigit() for c in text) for text in texts) > 100
    assert sum(text.isupper() for text in texts) > 60


def test_letters_that_stand_apart_are_asked_for_where_they_stand():
    """Places by the font's own advances would lie ever farther to the left."""
    press = StripPress(11, weights={"spaced": 1.0})
    for _ in range(8):
        text, rows, where = press.strip(12, hard=0.0)
        tape = np.concatenate([*rows], axis=1).min(axis=0)
        for slot in np.flatnonzero(where >= 0):
            if text[where[slot]].isalnum():
                assert tape[max(0, 8 * slot - 8) : 8 * slot + 16].min() < 200


def test_groups_of_faces_name_families_alone():
    """A group that matches nothing would silently draw every face as a typewriter's."""
    patterns = set(fonts.FAMILIES.split()) | set(fonts.HELD_OUT.split())
    unknown = [
        p for group in fonts.GROUPS.values() for p in group.split() if not any(p[:6] in pattern for pattern in patterns)
    ]
    assert set(unknown) <= {"texgyre(termes|schola|pagella)-", "LiberationSans-Narrow"}


def test_a_family_that_is_not_installed_is_said(monkeypatch):
    """An empty choice would fail far from its cause."""
    monkeypatch.setattr(fonts, "HELD_OUT", "NoSuchFamily")
    fonts.families.cache_clear()
    try:
        with pytest.raises(NoFonts, match="NoSuchFamily"):
            fonts.families(held_out=True)
    finally:
        fonts.families.cache_clear()


@pytest.mark.parametrize("others", [(), ("Ubuntu-R.ttf", "NotoSansCJK-Regular.ttc")], ids=["none", "of no use"])
def test_a_bare_machine_draws_with_matplotlibs_fonts(monkeypatch, tmp_path, others):
    """Training and its tests must run where no font package is installed, or only some that they do not know."""
    for name in others:
        (tmp_path / name).touch()
    monkeypatch.setattr("training.fonts.DEBIAN", (tmp_path,))
    caches = (font_files, fonts.families)
    for cached in caches:
        cached.cache_clear()
    try:
        files = [path for family in fonts.families(False) for path in family]
        assert any(path.name == "DejaVuSans.ttf" for path in files)
        assert all(ImageFont.truetype(path, 20).getbbox("a", anchor="ls")[1] < 0 for path in files), (
            "none is of symbols"
        )
    finally:
        for cached in caches:
            cached.cache_clear()
