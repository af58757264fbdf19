"""The check of a route in half precision, of a model that itself rounds more than most."""

import copy

import pytest

from batching import UnsupportedModel
from batching.loading.models import load_causal_lm
from batching.routes.self_check import self_check
from tests.batching.families import LLAMA
from tests.batching.torch_graphs import load


class CopiedModel:
    """A route that computes each row again, with a model of its own."""

    def __init__(self, model, shift=0):
        self._model, self._shift = model, shift
        self.is_allocated = False

    def allocate(self, pool, max_rows):
        assert not self.is_allocated
        self.is_allocated = True

    def logits(self, rows, overlays):
        import torch

        assert self.is_allocated
        ids = [torch.tensor([list(row.tokens)[max(0, self._shift) : row.end]]) for row in rows]
        return torch.cat([self._model(input_ids=one, use_cache=False).logits[:, -1] for one in ids])

    def close(self):
        self.is_allocated = False


@pytest.fixture(scope="module")
def sharp(torch):
    """A random model in bfloat16 that is 0.14 of its largest logit from float32: its attention is sharp."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(**LLAMA | {"num_hidden_layers": 6, "initializer_range": 0.3})
    return LlamaForCausalLM(config).eval().to(torch.bfloat16)


def test_a_route_that_rounds_nothing_is_right_though_the_model_itself_rounds(sharp):
    """Guards against the model's own roundings taken for a fault of the route: a GPU had no graphs for such a model."""
    exact = CopiedModel(copy.deepcopy(sharp).float())
    assert "is allowed" in self_check(exact, sharp, 0.06)
    exact.close()
    assert self_check(exact, sharp) is None


@pytest.mark.parametrize("route", ["torch", "graphs"])
def test_a_route_as_far_from_float32_as_the_model_is_taken(route, sharp):
    assert load(load_causal_lm, sharp, route=route).route == "torch"


def test_a_wrong_route_is_seen_though_the_model_itself_rounds(sharp, monkeypatch):
    """Guards against a tolerance so wide that a fault passes."""
    assert "is allowed" in self_check(CopiedModel(copy.deepcopy(sharp).float(), shift=1), sharp)
    monkeypatch.setattr("batching.routes.torch.decoder.apply_rope", lambda heads, rope: heads * rope[0])
    with pytest.raises(UnsupportedModel, match="has no torch route"):
        load_causal_lm(sharp, route="torch")


def test_in_float32_the_models_own_roundings_widen_nothing(sharp, torch):
    """Guards against a route in bfloat16 that passes for a model in float32."""
    assert "is allowed" in self_check(CopiedModel(sharp), copy.deepcopy(sharp).float())
