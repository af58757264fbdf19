"""Where a replica's model runs, and how precisely."""

import torch

from deployments.device import choose_device, choose_dtype


def test_auto_leaves_precision_to_the_loader_and_a_name_is_torch_s():
    """A setting that nobody translates would be silently ignored."""
    assert choose_dtype("auto") is None
    assert choose_dtype("bfloat16") is torch.bfloat16


def test_a_named_device_is_taken_as_it_is():
    assert choose_device("cpu") == "cpu"
    assert choose_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")
