"""The C++ library in every variant that this processor can run, as the fixture `built`; and numbers to try it on."""

import pytest
import torch

from batching.native import library as module
from batching.native.library import VARIANTS, library

BUILT = library()


def variants():
    """Those that this processor can run, each built where it is not."""
    for variant in VARIANTS:
        if variant.instructions <= module._instructions():
            slow = [] if BUILT is not None and f"-{variant.name}-" in BUILT._name else [pytest.mark.slow]
            yield pytest.param(variant, id=variant.name, marks=slow)


@pytest.fixture(params=variants())
def built(request):
    return module._loaded(request.param)


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))
