"""Weights are found on this machine, or refused by name."""

import json

import pytest

from retrieval.embedding import embedder_weights
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.embedder_weights import Prompts, Recipe, name_of
from retrieval.errors import UnknownEmbedder, WrongWeights


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
    monkeypatch.setattr(embedder_weights, "WHEEL_PACKAGE", "no_such_package")
    assert Embedder.find("all-MiniLM-L6-v2") is None


def test_weights_that_were_changed_are_refused(monkeypatch):
    """The package is of an unknown author: its weights are trusted by their checksum alone."""
    if Embedder.find("all-MiniLM-L6-v2") is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed")
    monkeypatch.setattr(embedder_weights, "WHEEL_SHA256", "0" * 64)
    with pytest.raises(WrongWeights, match="sha256"):
        Embedder.find("all-MiniLM-L6-v2")


def test_a_pooling_that_is_not_known_is_refused(tmp_path):
    """Mean pooling of a model that was trained on its first token is silently wrong."""
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_weightedmean_tokens": true}')
    with pytest.raises(WrongWeights, match="pool"):
        Recipe.of(tmp_path)


def folder(path, weights=b"weights", pooling=None, modules=(), prompts=None):
    (path / "1_Pooling").mkdir(parents=True)
    (path / "config.json").write_text("{}")
    (path / "model.safetensors").write_bytes(weights)
    (path / "1_Pooling" / "config.json").write_text(json.dumps(pooling or {"pooling_mode_cls_token": True}))
    (path / "modules.json").write_text(json.dumps([{"type": f"sentence_transformers.models.{m}"} for m in modules]))
    (path / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts or {}}))
    return path


def test_a_folder_of_any_known_kind_is_read(tmp_path):
    """Models of the hub pool in several ways, and some want a prompt before a query."""
    modules = ("Transformer", "Pooling", "Normalize")
    old = Recipe.of(folder(tmp_path / "old", modules=modules, prompts={"query": "query: ", "passage": "passage: "}))
    assert (old.pooling, old.prompts) == ("cls", Prompts("query: ", "passage: "))
    assert Recipe.of(folder(tmp_path / "new", pooling={"pooling_mode": "lasttoken"})).pooling == "lasttoken"
    with pytest.raises(WrongWeights, match="Dense"):
        Recipe.of(folder(tmp_path / "dense", modules=("Transformer", "Dense")))
    (tmp_path / "old" / "model.safetensors").unlink()
    with pytest.raises(WrongWeights, match="safetensors"):
        Recipe.of(tmp_path / "old")


def test_weights_are_told_apart_by_what_they_are_not_by_their_name(tmp_path):
    """A folder that was moved is the same model; one whose content was changed is another."""
    made = [
        folder(tmp_path / "a"),
        folder(tmp_path / "b"),
        folder(tmp_path / "c", weights=b"other"),
        folder(tmp_path / "d", prompts={"query": "q"}),
    ]
    prints = [Recipe.of(folder).fingerprint(folder) for folder in made]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_a_model_in_the_hub_cache_is_found_by_its_id(tmp_path, monkeypatch):
    """Guards against a download where the model is on this machine."""
    snapshot = tmp_path / "models--some--model" / "snapshots" / "0"
    folder(snapshot)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda model, _: str(snapshot / "config.json"))
    assert Embedder.find("some/model") == snapshot
    assert name_of(snapshot) == "some/model"
