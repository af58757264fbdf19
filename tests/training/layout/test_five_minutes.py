"""The recipe as a whole: five minutes on a CPU make a weak detector of nothing."""

import pytest

from documents.layout.doclayout.detector import Detector
from training.layout.batches import Phase, drawn_page
from training.layout.evaluate import SEED, precision
from training.layout.train import train
from training.layout.trainer import Trainer

MINUTES = 5.0
SMALL = (Phase(1.01, 448, 320),)


@pytest.mark.slow
def test_five_minutes_make_a_detector_that_finds_text(tmp_path):
    """A broken loss, box or export is found after five minutes and not after a night."""
    Trainer("cpu").save(tmp_path / "nothing")
    pages = [drawn_page(SEED + k) for k in range(6)]
    before = precision(Detector(tmp_path / "nothing" / "export"), pages)
    progress = train(tmp_path / "run", MINUTES, batch_size=4, phases=SMALL)
    after = precision(Detector(tmp_path / "run" / "export"), pages)
    assert progress.step > 20
    assert after["plain text"] > before["plain text"] + 0.01
