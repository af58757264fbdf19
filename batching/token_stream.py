"""TokenStream: streams the tokens of one sequence to its caller; leaving it aborts the sequence."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from batching.errors import fresh_copy
from batching.requests.completion import Completion, Delta, FinishReason
from batching.requests.detokenize import Detokenizer, Tokenizer
from batching.requests.stop_strings import safe_prefix_length
from batching.sequence import Phase, Sequence


class Outbox:
    """A sequence and the two events that its caller may wait for; only the loop touches it."""

    def __init__(self, seq: Sequence) -> None:
        self.seq = seq
        self.news = asyncio.Event()
        self.done = asyncio.Event()

    def publish(self) -> None:
        """Wake whoever waits for what the sequence has now."""
        self.news.set()
        if self.seq.phase is Phase.FINISHED:
            self.done.set()


class TokenStream:
    """Reads a sequence's own tokens from where it stands, so a slow caller costs no memory and slows nobody.

    A delta holds all that came since the one before. Whatever ends the caller early aborts the sequence: its task is
    cancelled while it waits, the stream is closed, or nobody holds the stream any more.
    """

    def __init__(self, outbox: Outbox, tokenizer: Tokenizer | None, abort: Callable[[Sequence], None]) -> None:
        self._outbox = outbox
        self._seq = outbox.seq
        self._abort = abort
        self._loop = asyncio.get_running_loop()
        self._detokenizer = Detokenizer(tokenizer)
        self._num_read = 0
        self._text = ""  # of the tokens read, as far as it is certain
        self._num_shown = 0  # characters of it that were handed out
        self._ended = False

    def __aiter__(self) -> TokenStream:
        return self

    async def __anext__(self) -> Delta:
        """What is new.

        Raises:
            RequestFailed: the request broke.
            PromptTooLong: its pictures turned out to be too long.
            EngineClosed, EngineDead: the engine ended before the request did.
        """
        if self._ended:
            raise StopAsyncIteration
        while self._num_unread == 0 and not self._finished:
            self._outbox.news.clear()
            await self._wait(self._outbox.news)
        if self._finished and self._seq.error is not None:
            self._ended = True
            raise fresh_copy(self._seq.error)
        return self._delta()

    async def result(self) -> Completion:
        """The whole output, once the sequence has ended; whatever was read before is in it, too.

        Raises:
            RequestFailed: the request broke.
            EngineClosed, EngineDead: the engine ended before the request did.
        """
        await self._wait(self._outbox.done)
        if self._seq.error is not None:
            raise fresh_copy(self._seq.error)
        return self.completion()

    def completion(self) -> Completion:
        """The output of a sequence that has ended, whatever its end."""
        seq = self._seq
        assert seq.finish_reason is not None
        output = seq.output
        return Completion(
            token_ids=output,
            text=self._whole(output),
            finish_reason=seq.finish_reason,
            timings=seq.timings(),
            mean_logprob=seq.sum_logprob / len(output) if output and seq.params.mean_logprob else None,
            token_logprobs=tuple(seq.token_logprobs) if seq.params.mean_logprob else (),
            error=seq.error,
            num_prompt=seq.num_prompt,
            logprobs=None if seq.params.logprobs is None else tuple(seq.logprobs),
        )

    def abort(self) -> None:
        """End the sequence early; at once, or with the step in flight. Nothing happens if it has ended already."""
        self._abort(self._seq)

    async def aclose(self) -> None:
        """Abort, and wait until the blocks are free."""
        self.abort()
        await self._outbox.done.wait()
        self._ended = True

    def __del__(self) -> None:
        if hasattr(self, "_loop") and not self._finished:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and the engine with it
                self._loop.call_soon_threadsafe(self._abort, self._seq)  # any thread may drop the last reference

    @property
    def _finished(self) -> bool:
        return self._seq.phase is Phase.FINISHED

    @property
    def _num_unread(self) -> int:
        return self._seq.num_output - self._num_read

    async def _wait(self, event: asyncio.Event) -> None:
        try:
            await event.wait()
        except asyncio.CancelledError:
            self.abort()
            raise

    def _delta(self) -> Delta:
        seq = self._seq
        first = self._num_read
        new = seq.tokens[seq.num_prompt + first :]
        self._num_read += len(new)
        self._text += self._detokenizer.push(new)
        reason: FinishReason | None = None
        num_safe = safe_prefix_length(self._text, seq.params.stop) if seq.stops else len(self._text)
        if self._finished:
            reason, self._ended = seq.finish_reason, True
            self._text = self._whole(seq.output)
            num_safe = len(self._text)
        text, self._num_shown = self._text[self._num_shown : num_safe], max(self._num_shown, num_safe)
        has_logprobs = seq.params.logprobs is not None
        return Delta(
            token_ids=new,
            text=text,
            finish_reason=reason,
            logprobs=tuple(seq.logprobs[first : first + len(new)]) if has_logprobs else None,
        )

    def _whole(self, output: list[int]) -> str:
        """The text of a whole output; without the stop string that ended it."""
        seq = self._seq
        stopped = seq.finish_reason is FinishReason.STOP and output[-1] not in seq.prompt.stop_token_ids
        if seq.stops is not None and stopped:
            return seq.stops.shown(output)
        return self._detokenizer.whole(output)
