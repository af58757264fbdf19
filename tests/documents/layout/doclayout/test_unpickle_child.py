"""`documents.layout.doclayout.unpickle_child`: what stands for an allowed name has no behaviour of its own."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from types import FunctionType, ModuleType
from typing import Any

import pytest
import torch

from documents.layout.doclayout.unpickle_child import (
    SAFE_NAMES,
    SIDES,
    TYPE_LOADER,
    NotPublished,
    Shell,
    config_of,
    read,
    shells,
    tensors,
)

HEAD = {SIDES: torch.zeros(64, 64, 1, 1)}
ROOT = Path(__file__).parents[4]

SHUT_IN = """
import socket, sys
from documents.walls.seccomp import forbid
assert forbid(threads=True, libraries=True)
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
    result = dict(tensors(of(_modules={"0": leaf, "act": passing, "none": None})))
    assert sorted(result) == ["0.mean", "0.weight"]


def test_shells_take_any_arguments_and_do_nothing():
    """Guards against code of the layout package, or of numpy, that runs because a pickle names it."""
    assert len({cls for cls, _ in shells()}) == len(SAFE_NAMES)
    for cls, _ in shells():
        made = cls("touch", 0o600, file="this")
        made.__setstate__({"forward": 1, 2: 3})
        assert not callable(made)


@pytest.mark.parametrize(
    "state",
    [
        {"names": {0: "title"}, "yaml": {"yaml_file": "../../evil.yaml"}},
        {"names": ["title"]},
        {"names": {1: "title"}},
        {"names": {0: "title", 1: "QR code"}},  # as those of DocSynth300K, for training on only
    ],
)
def test_models_that_are_none_of_the_packages_are_refused(state):
    """Guards against an architecture file of the pickle's choosing."""
    with pytest.raises(NotPublished):
        config_of(of(**state), {}, HEAD)


def test_a_network_without_a_head_is_refused():
    """Guards against a converted folder that no server can load."""
    with pytest.raises(NotPublished, match="cv2"):
        config_of(of(names={0: "title"}), {}, {})


@pytest.mark.parametrize("reg_max", [1, 16])
def test_the_numbers_of_a_side_are_read_from_the_weights(reg_max):
    """Guards against a head that is read as the installed package would build it."""
    head = {SIDES: torch.zeros(4 * reg_max, 64, 1, 1)}
    assert config_of(of(names={0: "title"}), {}, head)["reg_max"] == reg_max


def test_classes_of_the_public_data_sets_are_the_kinds_a_person_would_say():
    """Guards against a table that shifts by one, or furniture that is read as text."""
    names = {"DocLayNet": ["Caption", "Page-header", "Picture", "Section-header", "Table", "List-item", "Formula"]}
    names["D4LA"] = ["FigureName", "PageNumber", "Figure", "DocTitle", "Table", "ListText", "Equation"]
    kinds = ["figure_caption", "abandon", "figure", "title", "table", "plain text", "isolate_formula"]
    for name in names.values():
        assert config_of(of(names=dict(enumerate(name))), {}, HEAD)["classes"] == kinds


@dataclass
class Written:
    """What a pickle writes as calls: `function(*first)(*then)`."""

    function: Callable[..., Any]
    then: tuple[Any, ...]

    def __reduce__(self):
        return _Called(self.function), self.then


class _Called:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any) -> None:
        raise AssertionError(args)

    def __reduce__(self):
        return self.function, ("CodeType",)


def test_a_type_that_dill_names_is_a_shell_whatever_is_made_of_it(tmp_path, monkeypatch):
    """Guards against code made by the types that dill knows: functions and code objects among them."""
    home = ModuleType("dill._dill")
    for name in ("_load_type", "_create_function"):
        function = FunctionType((lambda *_: None).__code__, {}, name)
        function.__module__ = "dill._dill"
        function.__qualname__ = name
        setattr(home, name, function)
    monkeypatch.setitem(sys.modules, "dill", ModuleType("dill"))
    monkeypatch.setitem(sys.modules, "dill._dill", home)
    state = {"model": Written(home._load_type, (b"code", 1))}  # pyright: ignore[reportAttributeAccessIssue]
    torch.save(state, tmp_path / "named.pt", pickle_module=pickle)  # named: the package patches torch.save to use dill
    with pytest.raises(NotPublished, match="no layout network"):  # read to its end, and nothing came of it
        read(tmp_path / "named.pt")
    state = {"model": Written(home._create_function, ())}  # pyright: ignore[reportAttributeAccessIssue]
    torch.save(state, tmp_path / "made.pt", pickle_module=pickle)
    with pytest.raises(UnpicklingError, match=r"dill\._dill\._create_function"):
        read(tmp_path / "made.pt")


def test_dills_name_of_a_type_gives_no_type_but_set():
    """Guards against a name that reaches a type with behaviour: `type` itself, or `memoryview`."""
    (stand_in,) = [cls for cls, name in shells() if name == TYPE_LOADER]
    assert stand_in("set") is set
    for name in ("type", "CodeType", "FunctionType", "object", "memoryview"):
        assert stand_in(name) is stand_in
    assert type(stand_in([1])) is stand_in


def test_an_odd_image_size_gives_way_to_the_published_one():
    """Guards against a square that the network's strides do not divide."""
    named = of(names={0: "title"})
    assert config_of(named, {"imgsz": 1000}, HEAD)["image_size"] == config_of(named, None, HEAD)["image_size"] == 1024
    for published in (1120, 1280, 1600):
        assert config_of(named, {"imgsz": published}, HEAD)["image_size"] == published


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
