"""A layout checkpoint is found by folder or by its name on the hub, and by nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from documents.layout.checkpoint import layout_folder
from documents.layout.errors import LayoutCheckpointError

ROOT = Path(__file__).parents[3]

RESOLVE = """
import sys
from documents.layout.checkpoint import layout_folder
from documents.layout.errors import LayoutCheckpointError
try:
    print(layout_folder(sys.argv[1]))
except LayoutCheckpointError as error:
    print("refused:", error)
"""


def resolved(name, home):
    """What `layout_folder` says of a name without a network; the hub's package reads its settings when imported."""
    env = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    for other in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE"):
        env.pop(other, None)
    done = subprocess.run(
        [sys.executable, "-c", RESOLVE, name], capture_output=True, text=True, env=env, cwd=home, check=True
    )
    return done.stdout.strip()


def cached(home, name, *files):
    """Lay out a snapshot as the hub's client keeps it."""
    repo = home / "hub" / f"models--{name.replace('/', '--')}"
    folder = repo / "snapshots" / ("a" * 40)
    folder.mkdir(parents=True)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text("a" * 40)
    for file in files:
        (folder / file).write_text("{}")
    return folder


def test_a_hub_id_is_found_in_the_cache(tmp_path):
    """Guards against a setting that promises hub ids and takes folders alone."""
    folder = cached(tmp_path, "someone/layout", "config.json", "model.safetensors")
    assert resolved("someone/layout", tmp_path) == str(folder)


def test_a_hub_id_that_cannot_be_had_is_named(tmp_path):
    """Guards against a start that ends in the hub client's own traces, or hangs without a network."""
    message = resolved("someone/layout", tmp_path)
    assert message.startswith("refused: someone/layout is not a local folder")
    assert "layout.model" in message


def test_a_pickled_snapshot_goes_through_the_conversion(tmp_path):
    """Guards against running code that a pickled checkpoint brings along: this one is no pickle, and is told so."""
    cached(tmp_path, "someone/pickled", "README.md", "weights.pt")
    message = resolved("someone/pickled", tmp_path)
    assert message.startswith("refused: ")
    assert "weights.pt cannot be converted" in message


def test_a_snapshot_without_weights_is_refused(tmp_path):
    """Guards against a repository of something else."""
    cached(tmp_path, "someone/words", "config.json", "model.bin")
    assert resolved("someone/words", tmp_path).startswith("refused: someone/words has no model.safetensors")


def test_only_whole_folders_are_checkpoints(tmp_path):
    """Guards against a half copied folder that fails deep in the loading."""
    for path in (tmp_path / "weights.pt", tmp_path, tmp_path / "missing"):
        with pytest.raises(LayoutCheckpointError):
            layout_folder(path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(LayoutCheckpointError, match=r"no model\.safetensors"):
        layout_folder(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert layout_folder(tmp_path) == tmp_path
