"""`documents.layout.doclayout.network`: both architectures, with their own modules and random weights."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from documents.layout.doclayout.network import MAX_DETECTIONS, LayoutNetwork, build, fused, load_network, read_config
from documents.layout.errors import LayoutCheckpointError

COMPACT = Path(__file__).parents[4] / "checkpoints" / "layout-compact"
SIDE = 96


@pytest.fixture(scope="module", params=["yolov10n.yaml", "yolov10m-doclayout.yaml"])
def model(request):
    torch.manual_seed(0)
    model = build(request.param, 10)
    for part in model.modules():  # as after training: normalisations that do something
        if isinstance(part, torch.nn.BatchNorm2d):
            part.running_mean.uniform_(-0.2, 0.2)
            part.running_var.uniform_(0.5, 2)
            part.weight.data.uniform_(0.7, 1.3)
            part.bias.data.uniform_(-0.1, 0.1)
    return model.eval()


@pytest.fixture(scope="module")
def squares():
    return torch.randint(0, 256, (2, SIDE, SIDE, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("one_to_many", [False, True])
@torch.inference_mode()
def test_layout_rows_are_those_of_the_packages_own_module(model, squares, one_to_many):
    """Guards against a decoding, or a folding of dilated convolutions, that the weights were not trained for."""
    images = squares.permute(0, 3, 1, 2) / 255
    expected = model(images)["one2many" if one_to_many else "one2one"][0].transpose(1, 2)  # centres, sizes, scores
    half = expected[..., 2:4] / 2
    corners = torch.cat((expected[..., :2] - half, expected[..., :2] + half), 2)
    rows = LayoutNetwork(fused(copy.deepcopy(model)), image_size=SIDE, one_to_many=one_to_many)(squares)
    count = min(MAX_DETECTIONS, expected.shape[1])
    assert rows.shape == (2, count, 6)
    for row, scores, boxes in zip(rows, expected[..., 4:], corners, strict=True):
        assert torch.allclose(row[:, 4], scores.flatten().topk(count).values, atol=1e-5)
        near = (row[:, None, :4] - boxes[None]).abs().amax(2)
        same = (row[:, None, 4] - scores[:, row[:, 5].long()].T).abs()
        assert torch.maximum(near / 100, same).amin(1).max() < 1e-4


def test_architectures_that_do_not_exist_are_named():
    """Guards against a typing error in config.json that ends in the package's traces."""
    with pytest.raises(LayoutCheckpointError, match="yolov99"):
        build("yolov99.yaml", 10)


def folder_of(tmp_path, **changes):
    config = {**json.loads((COMPACT / "config.json").read_text()), **changes}
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"classes": ["cat"]}, "cat"), ({"image_size": 600}, "600"), ({"image_size": "large"}, "large")],
)
def test_a_layout_config_that_cannot_be_meant_is_refused(tmp_path, changes, message):
    """Guards against a checkpoint of other classes whose regions are misnamed."""
    with pytest.raises(LayoutCheckpointError, match=message):
        read_config(folder_of(tmp_path, **changes))


def test_weights_of_another_architecture_are_refused(tmp_path):
    """Guards against a network that runs with part of its weights random."""
    folder = folder_of(tmp_path)
    save_file({"model.0.conv.weight": torch.zeros(3)}, folder / "model.safetensors")
    with pytest.raises(LayoutCheckpointError, match="not of yolov10n"):
        load_network(folder, read_config(folder))
    (folder / "model.safetensors").write_bytes(b"no")
    with pytest.raises(LayoutCheckpointError):
        load_network(folder, read_config(folder))
