"""The state of a run on disk."""

import pytest
import torch

from training import state
from training.state import read_state, write_state


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(state, "PART_BYTES", 1000)


def test_a_state_comes_back_from_its_parts(tmp_path):
    """One large file is refused by what carries files off a borrowed machine."""
    write_state(tmp_path, 7, {"weights": torch.arange(2000)})
    parts = list(tmp_path.iterdir())
    assert len(parts) > 10
    assert max(path.stat().st_size for path in parts) == 1000
    assert torch.equal(read_state(tmp_path, "cpu")["weights"], torch.arange(2000))


def test_a_state_that_was_cut_off_is_not_taken_for_whole(tmp_path):
    """A run that is killed while it writes goes on from the state before."""
    write_state(tmp_path, 1, torch.arange(2000))
    for path in tmp_path.iterdir():
        path.with_name(path.name.replace("state-1.", "state-0.")).write_bytes(path.read_bytes())
    next(tmp_path.glob("state-1.2of*")).unlink()
    assert torch.equal(read_state(tmp_path, "cpu"), torch.arange(2000))
    write_state(tmp_path, 2, torch.arange(3))
    assert {path.name.split(".")[0] for path in tmp_path.iterdir()} == {"state-2"}


def test_a_folder_without_a_state_has_none(tmp_path):
    assert read_state(tmp_path, "cpu") is None
