"""`documents.pickled`: what stands for an allowed name has no behaviour of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from documents.pickled import ALLOWED, NotPublished, Shell, config_of, shells, tensors

ROOT = Path(__file__).parents[2]

SHUT_IN = """
import socket, sys
from documents.rendering.seccomp import forbid
assert forbid()
for attempt in (lambda: socket.create_connection(("127.0.0.1", 9)), lambda: open(sys.argv[1], "w")):
    try:
        attempt()
    except PermissionError:
        print("refused")
"""


def of(**state):
    shell = Shell()
    shell.__setstate__(state)
    return shell


def test_weights_are_named_as_in_a_state_dict():
    """Guards against weights that do not find their layers, and buffers that no state_dict has."""
    leaf = of(_parameters={"weight": torch.ones(2), "bias": None}, _buffers={"mean": torch.zeros(1)}, _modules={})
    passing = of(_buffers={"grid": torch.zeros(1)}, _non_persistent_buffers_set={"grid"})
    found = dict(tensors(of(_modules={"0": leaf, "act": passing, "none": None})))
    assert sorted(found) == ["0.mean", "0.weight"]


def test_shells_take_any_arguments_and_do_nothing():
    """Guards against code of the layout package, or of numpy, that runs because a pickle names it."""
    assert len({cls for cls, _ in shells()}) == len(ALLOWED)
    for cls, _ in shells():
        made = cls("touch", file="this")
        made.__setstate__({"forward": 1, 2: 3})
        assert not callable(made)


@pytest.mark.parametrize(
    "state",
    [{"names": {0: "title"}, "yaml": {"yaml_file": "../../evil.yaml"}}, {"names": ["title"]}, {"names": {1: "title"}}],
)
def test_models_that_are_none_of_the_packages_are_refused(state):
    """Guards against an architecture file of the pickle's choosing."""
    with pytest.raises(NotPublished):
        config_of(of(**state), {})


def test_an_odd_image_size_gives_way_to_the_published_one():
    """Guards against a square that the network's strides do not divide."""
    named = of(names={0: "title"})
    assert config_of(named, {"imgsz": 1000})["image_size"] == config_of(named, None)["image_size"] == 1024
    assert config_of(named, {"imgsz": 1600})["image_size"] == 1600


def test_the_child_reaches_no_network_and_writes_no_file(tmp_path):
    """Guards against a child that is only told to keep still."""
    done = subprocess.run(
        [sys.executable, "-c", SHUT_IN, str(tmp_path / "made")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert done.stdout == "refused\nrefused\n"
    assert not (tmp_path / "made").exists()
