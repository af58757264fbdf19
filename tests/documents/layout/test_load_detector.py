"""`load_detector`: what `layout.model` takes, and what it refuses at start by saying what is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import transformers

from documents.layout.batch_runner import RunnerConfig
from documents.layout.errors import LayoutCheckpointError
from documents.layout.load_detector import load_detector
from tests.documents.layout.tiny_detectors import make_detector

ROOT = Path(__file__).parents[3]
COMPACT = ROOT / "checkpoints" / "layout-compact"
WITHOUT_TRANSFORMERS = """
import sys
from documents.layout.load_detector import load_detector
detector = load_detector("checkpoints/layout-compact")
assert detector.family == "doclayout_yolo", detector.family
assert "transformers" not in sys.modules
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_detector("rt_detr_v2", tmp_path_factory.mktemp("made") / "heron")


@pytest.fixture
def changed(made, tmp_path):
    """A copy of the folder with settings of one of its JSON files changed; None takes one out."""

    def change(file, **values):
        folder = tmp_path / "changed"
        if not folder.exists():
            shutil.copytree(made, folder)
        config = json.loads((folder / file).read_text()) | values
        (folder / file).write_text(json.dumps({name: value for name, value in config.items() if value is not None}))
        return folder

    return change


def refusal(folder, **options):
    with pytest.raises(LayoutCheckpointError) as refused:
        load_detector(folder, **options)
    return str(refused.value)


def test_doclayout_yolo_is_loaded_without_transformers():
    """Guards against seconds of every start, and memory, for a library that this network does not need."""
    subprocess.run([sys.executable, "-c", WITHOUT_TRANSFORMERS], check=True, cwd=ROOT)


def test_loading_prints_nothing_and_bars_come_back(made, capfd):
    """Guards against bars of progress among the server's output, or switched off for who shows them."""
    transformers.utils.logging.enable_progress_bar()
    detector = load_detector(made)
    assert (detector.name, detector.family) == ("heron", "rt_detr_v2")
    assert "".join(capfd.readouterr()) == ""
    assert transformers.utils.logging.is_progress_bar_enabled()


def test_a_text_detector_is_refused_by_its_class(changed):
    """Guards against a finder of lines that is taken for one of regions, and gives a page without any."""
    message = refusal(changed("config.json", model_type="pp_ocrv5_server_det"))
    assert "PPOCRV5ServerDetForObjectDetection" in message
    assert "finds lines of text" in message


def test_a_model_of_another_task_is_refused_by_its_class(changed):
    """Guards against a language model in the place of a detector, and an error about its weights."""
    message = refusal(changed("config.json", model_type="bert", architectures=["BertForMaskedLM"]))
    assert "BertForMaskedLM" in message
    assert "AutoModelForObjectDetection" in message


def test_an_unknown_class_of_model_is_refused(changed):
    """Guards against a trace instead of a name where this version of transformers is too old for a model."""
    assert "rt_detr_v9" in refusal(changed("config.json", model_type="rt_detr_v9"))


def test_missing_files_are_named(made, tmp_path):
    """Guards against a folder without an image processor, whose pages would be made ready by a guess."""
    folder = shutil.copytree(made, tmp_path / "copy")
    (folder / "preprocessor_config.json").unlink()
    assert "preprocessor_config.json" in refusal(folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "no model.safetensors" in refusal(folder)


def test_weights_that_are_missing_are_refused_and_not_drawn_at_random(changed):
    """Guards against layers that transformers fills with random numbers, with a warning that nobody reads."""
    message = refusal(changed("config.json", decoder_layers=3))
    assert "lacks" in message
    assert ".2." in message


def test_damaged_weights_are_refused(changed):
    """Guards against a trace of the reader of safetensors."""
    folder = changed("config.json")
    (folder / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert "cannot be loaded" in refusal(folder)


def test_code_of_a_folder_is_not_run(changed, tmp_path):
    """Guards against a checkpoint that brings a program along."""
    folder = changed("config.json", auto_map={"AutoConfig": "own.Own", "AutoModelForObjectDetection": "own.Own"})
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    load_detector(folder)
    assert not (tmp_path / "ran").exists()


def test_classes_that_nobody_knows_are_refused_with_their_names(changed):
    """Guards against a detector of cats, whose regions would all be running text."""
    names = {"0": "cat", **{str(k): "Text" for k in range(1, 17)}}
    folder = changed("config.json", id2label=names)
    message = refusal(folder)
    assert "cat" in message
    assert "layout.classes" in message
    assert load_detector(folder, classes={"cat": "none"}).family == "rt_detr_v2"
    assert "dog" in refusal(folder, classes={"cat": "none", "dog": "figure"})
    assert "animal" in refusal(folder, classes={"cat": "animal"})


def test_pictures_without_a_bound_are_refused(changed):
    """Guards against a page a metre long that takes all memory."""
    assert "do_resize" in refusal(changed("preprocessor_config.json", do_resize=False))
    message = refusal(changed("preprocessor_config.json", do_resize=True, size={"shortest_edge": 96}))
    assert "no bound" in message


def test_settings_that_do_not_fit_the_network_are_refused(made):
    """Guards against settings that are silently dropped."""
    assert "set none" in refusal(made, runner=RunnerConfig(acceleration="compile"))
    assert "isolate" in refusal(made, class_confidence={"text": 0.3})
    assert "layout.classes" in refusal(COMPACT, classes={"Text": "table"})
