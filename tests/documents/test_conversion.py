"""`documents.conversion`: a pickle in the published form, read in a child that may do nothing else."""

from __future__ import annotations

import json
import os
import socket

import numpy as np
import pytest
import torch

from documents import conversion
from documents.checkpoint import LayoutCheckpointError, layout_folder
from documents.conversion import ConversionError, convert
from documents.detector import Detector
from documents.network import build


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A file as the package's trainer leaves it, of its own modules with random weights."""
    torch.manual_seed(0)
    model = build("yolov10m-doclayout.yaml", 10)
    kinds = "title|plain text|abandon|figure|figure_caption|table|table_caption|table_footnote|isolate_formula"
    model.names = dict(enumerate([*kinds.split("|"), "formula_caption"]))
    model.args = {"imgsz": 64, "model": "x.pt"}
    file = tmp_path_factory.mktemp("published") / "docstructbench.pt"
    told = {"epoch": -1, "best_fitness": np.float64(0.7), "model": model.half(), "ema": None, "optimizer": None}
    torch.save(told | {"train_args": {"imgsz": 64, "lr0": 0.02}, "date": "2024-10-01", "version": "8.1.34"}, file)
    return file, {name: tensor.clone() for name, tensor in model.state_dict().items()}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def test_a_published_layout_checkpoint_is_converted_at_its_first_load(published, cache, monkeypatch):
    """Guards against a server that opens pickles, or converts the same one at every start."""
    file, state = published
    detector = Detector(file, converted_dir=cache)
    assert detector.image_size == 64
    assert detector.detect([np.zeros((80, 60, 3), np.uint8)], [None], confidence=0)[0]
    weights = detector._runner._pass.boxes[0][-1].weight  # pyright: ignore
    assert torch.equal(weights, state["model.23.one2one_cv2.0.2.weight"].float())
    monkeypatch.setattr(conversion, "_run_child", None)
    (folder,) = cache.iterdir()
    assert layout_folder(file.parent, converted_dir=cache) == folder
    assert json.loads((folder / "config.json").read_text())["suppress_iou"] is None


class Reaching:
    """Asks whoever unpickles it to call something."""

    def __init__(self, what, *args):
        self.what, self.args = what, args

    def __reduce__(self):
        return self.what, self.args


@pytest.mark.parametrize("what", [os.system, socket.create_connection], ids=["program", "network"])
def test_a_pickle_that_names_anything_else_is_refused_by_name(tmp_path, what):
    """Guards against the code that a checkpoint from somewhere may bring along."""
    torch.save({"model": Reaching(what, f"touch {tmp_path}/done")}, tmp_path / "evil.pt")
    with pytest.raises(ConversionError, match=r"it names \S+, which is not allowed"):
        convert(tmp_path / "evil.pt", tmp_path / "made")
    assert [path.name for path in tmp_path.iterdir()] == ["evil.pt"]


def test_files_that_are_no_checkpoint_are_named_and_leave_nothing(tmp_path):
    """Guards against half a folder that the next start takes for a checkpoint."""
    (tmp_path / "broken.pt").write_bytes(b"PK\x03\x04 and no more")
    torch.save([1, 2], tmp_path / "list.pt")
    for name in ("broken.pt", "list.pt", "missing.pt"):
        with pytest.raises(ConversionError, match=name):
            convert(tmp_path / name, tmp_path / "made")
    with pytest.raises(LayoutCheckpointError, match="several"):
        layout_folder(tmp_path, converted_dir=tmp_path / "cache")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.pt", "list.pt"]


def test_a_folder_that_is_there_is_never_overwritten(published, tmp_path):
    """Guards against a checkpoint that is lost to a mistyped name."""
    with pytest.raises(ConversionError, match="is there already"):
        convert(published[0], tmp_path)
