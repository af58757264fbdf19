"""Pictures that cannot be prepared: each fails its own request, by name, and nothing else."""

import asyncio
import zlib

import numpy as np
import pytest

from batching import Engine, Request, RequestFailed, SamplingParams
from batching.loading.models import load_got_ocr2


class UndecodablePicture:
    """As a lazy PIL image of a broken file: its size is known, its pixels are not."""

    size = (128, 128)

    def __init__(self, error):
        self._error = error

    def convert(self, mode):
        raise self._error


@pytest.fixture(scope="module")
def runner(tiny_got):
    return load_got_ocr2(str(tiny_got), route="transformers")


# PIL raises SyntaxError for a broken PNG chunk, and zlib's own error for what it holds
@pytest.mark.parametrize("error", [SyntaxError("broken PNG file"), zlib.error("incorrect check"), MemoryError("large")])
def test_a_picture_that_cannot_be_decoded_fails_its_request_by_name(error, runner, run_async):
    """What `prepare_image` raised ended in a callback of the loop, and the sequence waited for ever."""

    async def main():
        async with Engine(runner) as engine:
            bad = engine.submit(Request(image=UndecodablePicture(error)))
            good = engine.submit(
                Request(image=np.zeros((128, 128, 3), np.uint8), sampling=SamplingParams(max_tokens=3))
            )
            with pytest.raises(RequestFailed, match=str(error)):
                await asyncio.wait_for(bad.result(), 20)
            assert len((await good.result()).token_ids) == 3
            assert engine.stats().num_free_blocks == engine.stats().num_blocks
            assert engine.stats().num_failed == 1

    run_async(main)
