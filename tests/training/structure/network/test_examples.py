"""Training pages come back from their files as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from training.structure.network.examples import load, save
from training.structure.network.plain_pages import plain_page


def test_examples_come_back_as_they_were_saved(tmp_path):
    """Boxes and sizes to a tenth of a point; a sixteen bit number of tenths must hold a whole sheet."""
    large = plain_page(3)
    large = replace(large, tokens=replace(large.tokens, size=large.tokens.size * 13))
    pages = [large, plain_page(5), plain_page(1, 0), plain_page(40, 9, seed=3)]
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
        yield plain_page(3)
        assert not list(tmp_path.glob("*.pages"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(broken(), tmp_path / "some.pages")
    assert not list(tmp_path.glob("*.pages"))
