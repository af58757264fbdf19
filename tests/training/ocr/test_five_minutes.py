"""The recipe as a whole: five minutes on a CPU make a weak reader of nothing."""

import pytest

from training.ocr import sets
from training.ocr.evaluate import score
from training.ocr.read import Reader
from training.ocr.train import train
from training.ocr.trainer import SIZES, Trainer

MINUTES = 5.0


@pytest.mark.slow
def test_five_minutes_make_a_reader_that_beats_one_that_learnt_nothing(tmp_path):
    """A broken loss, place or export is found after five minutes and not after a night."""
    lines = sets.synthetic(12, held_out=False, kind="cell", hard=0.0)
    Trainer(SIZES, "cpu").save(tmp_path / "nothing")
    before = score(Reader(tmp_path / "nothing" / "export"), "cell", lines)
    progress = train(tmp_path / "run", MINUTES, rows_each=32, kinds={"plain": 1.0, "cell": 1.0})
    after = score(Reader(tmp_path / "run" / "export"), "cell", lines)
    assert progress.num_strips > 100
    assert after.cer < min(1.0, 0.5 * before.cer)
