"""Resizes and normalizes images of waiting requests in worker threads, ahead of the model."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

from batching.errors import BatchingError, RequestFailed
from batching.requests.pictures import PreparedPictures
from batching.sequence import Phase, Sequence

NUM_THREADS = 2
STEPS_AHEAD = 2
"""Prepared pictures are large (12 MB for 1024 x 1024): no more are held than so many steps can encode."""


class ImagePreparer:
    """Pictures are prepared in order of arrival, before their sequences are admitted; only the loop calls this."""

    def __init__(
        self,
        prepare: Callable[[Any], PreparedPictures] | None,
        *,
        max_patches: int,
        max_running: int,
        whole_batches: bool,
        compares_prefixes: bool,
        deliver: Callable[[Sequence, PreparedPictures | BatchingError], None],
    ) -> None:
        """`prepare`: see `Inputs.prepare_image`; `deliver` is called with a sequence's pictures, or why there are none.

        With `compares_prefixes` pictures have a digest. No more than two steps of `max_patches` are held ready, but for
        `whole_batches`, which begin together.
        """
        self._prepare = prepare
        self._compares_prefixes = compares_prefixes
        self._max_patches = sys.maxsize if whole_batches else max_patches * STEPS_AHEAD
        self._max_running = max_running
        self._deliver = deliver
        self._threads = ThreadPoolExecutor(max_workers=NUM_THREADS, thread_name_prefix="batching-images")
        self._in_progress: set[int] = set()  # sequences

    def begin(self, running: Iterable[Sequence], waiting: Iterable[Sequence]) -> None:
        """Begin with the pictures of those that are admitted next."""
        room = self._max_patches - sum([seq.prompt.num_patches for seq in running if seq.pixels is not None])
        for seq in islice(waiting, self._max_running):
            if room <= 0:
                return
            if seq.prompt.image is None:
                continue
            room -= seq.prompt.num_patches
            if seq.pixels is None and seq.seq_id not in self._in_progress:
                assert self._prepare, "only inputs that prepare pictures make prompts with one"
                self._in_progress.add(seq.seq_id)
                loop = asyncio.get_running_loop()
                prepared = loop.run_in_executor(self._threads, self._prepared, self._prepare, seq.prompt.image)
                prepared.add_done_callback(partial(self._take, seq))

    def close(self) -> None:
        """Begin with no more; what is in progress is dropped when it is over."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _prepared(self, prepare: Callable[[Any], PreparedPictures], image: Any) -> PreparedPictures:
        pictures = prepare(image)
        return pictures.with_digest() if self._compares_prefixes else pictures

    def _take(self, seq: Sequence, prepared: asyncio.Future[PreparedPictures]) -> None:
        self._in_progress.discard(seq.seq_id)
        if prepared.cancelled():
            return
        error = prepared.exception()  # looked at in any case, or asyncio reports that nobody did
        if seq.phase is not Phase.FINISHED:
            self._deliver(seq, prepared.result() if error is None else _failure(error))


def _failure(error: BaseException) -> BatchingError:
    """Decoders of pictures raise whatever they like, SyntaxError among it."""
    if isinstance(error, BatchingError):
        return error
    failure = RequestFailed(f"the image cannot be prepared: {type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure
