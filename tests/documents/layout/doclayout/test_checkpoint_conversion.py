"""`checkpoint_conversion`: a published pickle, read in a child that may do nothing else, and tried out."""

from __future__ import annotations

import json
import os
import pickletools
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from published_layout import FACTS, FOLDER, page, save, shapes, weights
from safetensors.torch import load_file, save_file

from documents.layout.checkpoint import layout_folder
from documents.layout.doclayout import checkpoint_conversion
from documents.layout.doclayout.checkpoint_conversion import ConversionError, convert
from documents.layout.doclayout.detector import Detector
from documents.layout.errors import LayoutCheckpointError
from documents.layout.load_detector import load_detector

COMPACT = Path(__file__).parents[4] / "checkpoints" / "layout-compact"
SQUARE = 192  # the side of the page that reference.npz is of
FIRST = "doclayout_yolo_docstructbench_imgsz1024.pt"
NEWER = "doclayout_yolo_docstructbench_imgsz1280_2501.pt"
D4LA = "doclayout_yolo_d4la_imgsz1600_from_scratch.pt"
DOCLAYNET = "doclayout_yolo_doclaynet_imgsz1120_from_scratch.pt"
REPOSITORY = "PAGEMILL_PUBLISHED_LAYOUT"  # a checkout of github.com/opendatalab/DocLayout-YOLO

LIVE = """
import sys
import numpy as np, torch
from doclayout_yolo.nn.tasks import YOLOv10DetectionModel
from safetensors.torch import load_file
model = YOLOv10DetectionModel("yolov10m-doclayout.yaml", nc=10, verbose=False).eval()
model.load_state_dict(load_file(sys.argv[1]))
squares = torch.from_numpy(np.load(sys.argv[2])).permute(2, 0, 1)[None]
with torch.inference_mode():
    raw = model.double()(squares.double() / 255)["one2one"][1]
np.save(sys.argv[3], torch.cat([each.flatten(2) for each in raw], 2)[0].T.numpy())
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A stand-in of the first published file, its squares small, and its weights."""
    file = tmp_path_factory.mktemp("published") / FIRST
    return file, save(file, FIRST, reg_max=16, image_size=SQUARE)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def detector(published, cache):
    return load_detector(published[0], converted_dir=cache)


@pytest.fixture(scope="module")
def reference():
    """The published repository's own answer for these weights and this page."""
    return np.load(FOLDER / "reference.npz")


def imports(file):
    """The names that a file's pickle imports, as the hub lists them."""
    with zipfile.ZipFile(file) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("data.pkl")]
        operations = pickletools.genops(archive.read(name))
        return {str(argument).replace(" ", ".") for code, argument, _ in operations if code.name == "GLOBAL"}


def raw(detector):
    """What the head says of each cell (cells, 4 * reg_max + classes) of the page."""
    network = detector._runner._pass
    with torch.inference_mode():
        maps = network._maps(torch.from_numpy(page(SQUARE)).permute(2, 0, 1)[None] / 255)
        parts = (network.boxes, network.classes)
        return torch.cat(
            [torch.cat([f(m).flatten(2) for f, m in zip(part, maps, strict=True)], 2) for part in parts], 1
        )[0].T.numpy()


def rows(detector):
    """What is found on the page: x0, y0, x1, y1, score and the class' number."""
    (regions,) = detector.detect([page(SQUARE)], [None])
    kinds = FACTS["files"][FIRST]["classes"]
    boxes = [(region.box.x0, region.box.y0, region.box.x1, region.box.y1) for region in regions]
    facts = [(region.score, kinds.index(region.kind)) for region in regions]
    return np.hstack((boxes, facts))


def same(mine, theirs):
    """Whether both name the same boxes, kinds and scores; a score may lie 1e-4 from the threshold on either side."""
    for some, others in ((mine, theirs), (theirs, mine)):
        for row in some[some[:, 4] > 0.2 + 1e-4]:
            near = np.abs(others - row)
            if not ((near[:, :4] < 0.01).all(1) & (near[:, 4] < 1e-4) & (near[:, 5] == 0)).any():
                return False
    return True


def test_the_stand_in_is_as_large_as_a_published_training_log_says():
    """Guards against a stand-in of our own idea: the log (decision 0207) counts a network of five classes."""
    sizes = {name: np.prod(shape, dtype=int) for name, shape in shapes(5).items()}
    weights = {name: size for name, size in sizes.items() if not name.endswith(("_mean", "_var", "_tracked"))}
    assert len(sizes) == FACTS["parameters"]["tensors"]
    assert sum(weights.values()) == FACTS["parameters"]["5 classes"]
    head = [size for name, size in weights.items() if name.startswith("model.23.")]
    assert sum(head) == FACTS["parameters"]["5 classes, head"]


def test_a_head_with_bins_says_what_the_published_code_says(published, detector, reference):
    """Guards against the published DocStructBench's head, 16 numbers a side, read as if it had one, or refused."""
    assert imports(published[0]) == set(FACTS["files"][FIRST]["imports"])
    assert np.allclose(raw(detector), reference["raw"], rtol=1e-5, atol=1e-4)
    assert len(reference["rows"]) == 77
    assert same(rows(detector), reference["rows"])


def test_the_number_of_bins_is_that_of_the_weights_where_the_config_is_silent(detector, cache, reference, tmp_path):
    """Guards against folders that were converted before config.json said it."""
    (folder,) = cache.iterdir()
    shutil.copytree(folder, tmp_path / "older")
    config = json.loads((folder / "config.json").read_text())
    assert config.pop("reg_max") == 16
    (tmp_path / "older" / "config.json").write_text(json.dumps(config))
    assert same(rows(Detector(tmp_path / "older")), reference["rows"])
    (tmp_path / "older" / "config.json").write_text(json.dumps(config | {"reg_max": 8}))
    with pytest.raises(LayoutCheckpointError, match="size mismatch"):
        Detector(tmp_path / "older")


def test_a_published_layout_checkpoint_is_converted_at_its_first_load(published, detector, cache, monkeypatch):
    """Guards against a server that opens pickles, or converts the same one at every start."""
    file, state = published
    assert detector.image_size == SQUARE
    (folder,) = cache.iterdir()
    converted = load_file(folder / "model.safetensors")
    assert converted.keys() == state.keys()
    assert all(torch.equal(converted[name], state[name]) for name in state)
    monkeypatch.setattr(checkpoint_conversion, "_run_child", None)
    assert layout_folder(file.parent, converted_dir=cache) == folder
    assert json.loads((folder / "config.json").read_text())["suppress_iou"] is None


@pytest.mark.parametrize(("name", "reg_max"), [(NEWER, 1), (NEWER, 16), (D4LA, 16), (DOCLAYNET, 16)])
def test_every_published_file_converts_and_works(tmp_path, name, reg_max):
    """Guards against a file that the hub lists and that no server can load."""
    fact = FACTS["files"][name]
    save(tmp_path / name, name, reg_max=reg_max, image_size=64)
    missing = set(fact["imports"]) - imports(tmp_path / name)
    assert not missing
    assert len(imports(tmp_path / name)) == fact["num_imports"]
    config = json.loads((convert(tmp_path / name, tmp_path / "made") / "config.json").read_text())
    assert (config["reg_max"], len(config["classes"])) == (reg_max, len(fact["classes"]))


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


def _without_a_layer(state):
    del state["model.0.conv.weight"]


def _without_numbers(state):
    state["model.0.conv.weight"].fill_(float("nan"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [(_without_a_layer, "cannot be loaded.*model.0.conv"), (_without_numbers, "returned invalid numbers")],
)
def test_a_conversion_that_does_not_work_fails_there_and_leaves_nothing(tmp_path, monkeypatch, change, reason):
    """Guards against `pagemill convert` that ends well with a folder with which no server gets ready."""

    def child(_source, folder):
        shutil.copy(COMPACT / "config.json", folder)
        state = load_file(COMPACT / "model.safetensors")
        change(state)
        save_file(state, folder / "model.safetensors")

    monkeypatch.setattr(checkpoint_conversion, "_run_child", child)
    (tmp_path / "weights.pt").write_bytes(b"read by nobody here")
    with pytest.raises(ConversionError, match=rf"(?s)weights.pt was converted, but .*{reason}"):
        convert(tmp_path / "weights.pt", tmp_path / "made")
    assert [path.name for path in tmp_path.iterdir()] == ["weights.pt"]


def test_a_folder_that_is_there_is_never_overwritten(published, tmp_path):
    """Guards against a checkpoint that is lost to a mistyped name."""
    with pytest.raises(ConversionError, match="already exists"):
        convert(published[0], tmp_path)


@pytest.mark.skipif(REPOSITORY not in os.environ, reason=f"{REPOSITORY} names no checkout of the published repository")
def test_the_committed_reference_is_what_the_published_repository_says(tmp_path, reference):
    """Guards against a reference that was made otherwise than it says."""
    save_file(weights(), tmp_path / "w.safetensors")
    np.save(tmp_path / "page.npy", page(SQUARE))
    files = [str(tmp_path / name) for name in ("w.safetensors", "page.npy", "raw.npy")]
    environment = {**os.environ, "PYTHONPATH": os.environ[REPOSITORY]}
    subprocess.run([sys.executable, "-c", LIVE, *files], env=environment, check=True)
    assert np.allclose(np.load(files[2]), reference["raw"], rtol=0, atol=2e-6)
