"""Training pages come back from their files as they were."""

from __future__ import annotations

import numpy as np
import pytest

from documents.segments.page_tokens import RULE, SEGMENT, PageTokens
from documents.segments.roles import ROLES
from training.structure.examples import NO_RANK, Example, load, save


def example(count: int, num_graphics: int = 2, seed: int = 0) -> Example:
    """Segments one below the other, each a block of its own, and rules."""
    chance = np.random.default_rng(seed)
    low = np.stack([np.full(count + num_graphics, 60), 80 + 14 * np.arange(count + num_graphics)], 1)
    box = np.concatenate([low, low + chance.uniform(4, 300, low.shape)], 1)
    return Example(
        tokens=PageTokens(
            width=612.0,
            height=792.0,
            texts=tuple(f"Line {k}, ميناء 港" for k in range(count)),
            kind=np.array([SEGMENT] * count + [RULE] * num_graphics, np.int8),
            box=box.astype(np.float32),
            size=chance.uniform(5, 40, count + num_graphics).astype(np.float32),
            style=chance.integers(0, 2, (count + num_graphics, 6)).astype(np.float32),
            colour=(chance.integers(0, 241, (count + num_graphics, 3)) / 240).astype(np.float32),
        ),
        role=chance.integers(-1, len(ROLES), count).astype(np.int8),
        block=chance.integers(-1, 0xFFFFFF, count).astype(np.int32),
        place=np.arange(count, dtype=np.float32),
        rank=np.where(chance.random(count) < 0.3, NO_RANK, chance.uniform(0, 1e6, count)),
    )


def test_examples_come_back_as_they_were_saved(tmp_path):
    """Boxes and sizes to a tenth of a point; a sixteen bit number of tenths must hold a whole sheet."""
    pages = [example(5), example(1, 0), example(40, 9, seed=3)]
    save(pages, tmp_path / "some.pages")
    again = list(load(tmp_path / "some.pages"))
    assert len(again) == len(pages)
    for before, after in zip(pages, again, strict=True):
        assert (after.tokens.width, after.tokens.height, after.tokens.texts) == (612, 792, before.tokens.texts)
        np.testing.assert_allclose(after.tokens.box, before.tokens.box, atol=0.051)
        np.testing.assert_allclose(after.tokens.size, before.tokens.size, atol=0.051)
        np.testing.assert_allclose(after.tokens.style, before.tokens.style, atol=0.0051)
        np.testing.assert_allclose(after.tokens.colour, before.tokens.colour, atol=1e-6)
        for name in ("role", "block", "place"):
            assert (getattr(after, name) == getattr(before, name)).all(), name
        np.testing.assert_allclose(after.rank, before.rank, rtol=1e-6)
        assert (after.tokens.kind == before.tokens.kind).all()


def test_a_file_that_is_being_written_is_not_there_yet(tmp_path):
    """Guards against a run that reads half a file while another process draws."""

    def broken():
        yield example(3)
        assert not list(tmp_path.glob("*.pages"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(broken(), tmp_path / "some.pages")
    assert not list(tmp_path.glob("*.pages"))
