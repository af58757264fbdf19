"""The engine: accepts requests, runs scheduled steps in the model thread, and streams tokens to callers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

from batching.engine_config import EngineConfig, EngineStats
from batching.errors import (
    BatchingError,
    EngineClosed,
    EngineDead,
    EngineFull,
    PromptTooLong,
    RequestRefused,
    fresh_copy,
)
from batching.inputs.image_preparer import ImagePreparer
from batching.requests.detokenize import Tokenizer
from batching.requests.pictures import PreparedPictures
from batching.requests.request import Prompt, Request
from batching.requests.sampling_params import SamplingParams
from batching.runner import Runner
from batching.sampling.guide_matcher import GuideCompiler, GuideMatcher
from batching.scheduler import Scheduler
from batching.sequence import Phase, Sequence
from batching.step_plan import StepPlan, StepResult
from batching.step_reporter import StepReporter
from batching.token_stream import Outbox, TokenStream

log = logging.getLogger(__name__)


class Engine:
    """Requests join and leave at any step.

    Only the event loop touches the scheduler, and only one thread, the engine's own, runs the model. The life of a
    request: `submit` makes a sequence and its stream; each step, the loop schedules, the thread launches and collects,
    the loop commits and wakes the streams that have news.
    """

    def __init__(self, runner: Runner, config: EngineConfig | None = None) -> None:
        """Nothing is allocated or started yet; one engine at a time may use a runner."""
        self._config = config = (config or EngineConfig()).fitted(runner.keeps_state)
        self._runner = runner
        self._work = asyncio.Event()
        self._guides = GuideCompiler(runner.inputs.tokenizer)
        max_patches = runner.inputs.max_patches(config.vision_budget_mb)
        self._max_rows = config.max_running if runner.max_in_flight > 1 else config.max_step_tokens  # graphs' rows
        self._scheduler = Scheduler(config, max_patches, self._max_rows)
        self._reporter = StepReporter(self._config, self._scheduler)
        self._images = ImagePreparer(
            runner.inputs.prepare_image,
            max_patches=max_patches,
            whole_batches=self._config.mode != "continuous",
            compares_prefixes=self._config.reuse_prefixes,
            max_running=self._config.max_running,
            deliver=self._take_pictures,
        )
        self._plans: deque[StepPlan] = deque()  # of the steps in flight, the oldest first
        self._flights: deque[Any] = deque()  # the same to the runner; only the model thread touches them
        self._news: list[Sequence] = []  # sequences whose streams are to be woken
        self._outboxes: dict[int, Outbox] = {}
        self._seq_ids = itertools.count()
        self._thread: ThreadPoolExecutor | None = None
        self._driver: asyncio.Task[None] | None = None
        self._ended: BatchingError | None = EngineClosed("the engine was not started")
        self._closing = False

    async def __aenter__(self) -> Engine:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def healthy(self) -> bool:
        """Whether requests are served: it was started, was not closed, and its model thread has not failed."""
        return self._ended is None

    async def start(self) -> None:
        """Allocate the KV pool and start serving, on the running loop.

        Raises:
            EngineClosed: it was started before, or a failed start is still releasing its resources.
            UnsupportedModel: the runner cannot run its model.
        """
        if self._thread is not None:
            raise EngineClosed("an engine can be started only once")
        self._thread = thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="batching-model")
        sizes = (self._config.num_blocks, self._config.block_size, self._max_rows, self._config.max_running)
        try:
            await asyncio.get_running_loop().run_in_executor(thread, self._runner.allocate, *sizes)
        except BaseException:  # it failed, or nobody waits any more: nothing is kept, and a later start may try
            freed = thread.submit(self._free, thread)  # after an allocation that still runs
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(asyncio.wrap_future(freed))
            raise
        self._ended = None
        self._driver = asyncio.create_task(self._drive(thread), name="batching-engine")

    def _free(self, thread: ThreadPoolExecutor) -> None:
        """Release what a failed start took, in its thread; another start meanwhile is refused."""
        self._runner.close()
        thread.shutdown(wait=False)
        self._thread = None

    async def close(self) -> None:
        """End what still runs with `EngineClosed`, after what is in flight, and free everything; may be repeated."""
        self._closing = True
        self._ended = self._ended or EngineClosed("the engine was closed")
        self._work.set()
        if self._driver is not None:
            await asyncio.wait([self._driver])

    def submit(self, request: Request) -> TokenStream:
        """Put a request at the end of the waiting list; called on the engine's loop, returns at once.

        Raises:
            EngineFull: `max_waiting` requests are already waiting.
            EngineClosed, EngineDead: the engine does not serve.
            RequestRefused: the request can never be served; see its subclasses.
        """
        if self._ended is not None:
            raise fresh_copy(self._ended)
        if len(self._scheduler.waiting) >= self._config.max_waiting:
            raise EngineFull(f"{self._config.max_waiting} requests are already waiting")
        if request.beams is not None:
            raise RequestRefused("beams: a beam search is run by `beam_search`, over requests of one token")
        params = request.sampling
        if params.stop and self.tokenizer is None:
            raise RequestRefused("stop needs a tokenizer, and this runner has none")
        prompt = self.prepare(request)
        seq = Sequence(
            next(self._seq_ids),
            prompt,
            params,
            capacity=self._capacity(len(prompt.token_ids) + len(prompt.continuation)),
            label=request.label,
            tokenizer=self.tokenizer,
            matcher=self._matcher(prompt, params),
        )
        outbox = self._outboxes[seq.seq_id] = Outbox(seq)
        if not self._scheduler.busy:
            self._reporter.step_begins()
        self._scheduler.add(seq)
        self._news.append(seq)  # it has ended already if no token is asked for
        self._publish()
        self._work.set()
        return TokenStream(outbox, self.tokenizer, self._abort)

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The runner's; None: completions have no text."""
        return self._runner.inputs.tokenizer

    @property
    def max_length(self) -> int:
        """Tokens of one sequence that have KV: what the pool and the model's context hold."""
        return min(self._config.num_blocks * self._config.block_size, self._runner.max_length)

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms.

        Raises:
            RequestRefused: as `submit` would.
        """
        return self._runner.inputs.prepare(request)

    async def compile(self, request: Request) -> None:
        """Compile the guide of a request, in a thread, so that its `submit` holds up nobody.

        Raises:
            RequestRefused: as `submit` would.
        """
        await asyncio.to_thread(self._matcher, self.prepare(request), request.sampling)

    def stats(self) -> EngineStats:
        """Where the engine stands now."""
        return self._reporter.stats(self._runner.inputs.last_pass)

    async def _drive(self, thread: ThreadPoolExecutor) -> None:
        """Step until closed; whatever ends it, every stream gets an error and the model thread ends."""
        try:
            while self._plans or not self._closing:
                await self._step(thread)
        except asyncio.CancelledError:  # the loop is being torn down
            raise
        except BaseException as error:  # the loop's edge: nothing that the model thread raises may be lost
            log.exception("The engine is dead")
            self._ended = error if isinstance(error, EngineDead) else EngineDead(f"the model thread failed: {error!r}")
            self._ended.__cause__ = self._ended.__cause__ or error
        finally:
            self._ended = self._ended or EngineClosed("the engine's loop was ended")
            self._publish()
            self._news = self._scheduler.end_all(self._ended)
            self._publish()
            await self._quit(thread)

    async def _step(self, thread: ThreadPoolExecutor) -> None:
        """Launch the next step if it can be planned; meanwhile publish what is known; take in the one that is over."""
        self._work.clear()
        self._images.begin(self._scheduler.running, self._scheduler.waiting)
        newest = self._plans[-1] if self._plans else None
        plan = None if self._closing else self._scheduler.schedule(on_top_of=newest)
        if plan is not None:
            if newest is None:
                self._reporter.step_begins()
            self._plans.append(plan)
        if not self._plans:
            self._publish()
            if self._config.check_idle and not self._scheduler.busy:
                self._check_idle()
            await self._work.wait()
            return
        stepping = asyncio.get_running_loop().run_in_executor(thread, self._launch_and_collect, plan)
        self._publish()
        result = await stepping
        if result is not None:
            oldest = self._plans.popleft()
            self._news = self._scheduler.commit(oldest, result)
            self._reporter.step_ended(oldest, result)

    def _launch_and_collect(self, plan: StepPlan | None) -> StepResult | None:
        """In the model thread: launch `plan`; the oldest result, or None if another step may be in flight."""
        if plan is not None:
            self._flights.append(self._runner.launch(plan))
            if len(self._flights) < self._runner.max_in_flight:
                return None
        return self._runner.collect(self._flights.popleft())

    def _check_idle(self) -> None:
        """Check that nothing is left of what has ended.

        Raises:
            EngineDead: a block, a stream or a step is left.
        """
        try:
            self._scheduler.check_idle()
        except RuntimeError as error:
            raise EngineDead(str(error)) from error
        if self._outboxes or self._flights:
            raise EngineDead(f"idle, but {len(self._outboxes)} streams and {len(self._flights)} steps are left")

    async def _quit(self, thread: ThreadPoolExecutor) -> None:
        self._images.close()
        try:
            await asyncio.get_running_loop().run_in_executor(thread, self._runner.close)
        finally:
            thread.shutdown()  # idle by now, so this does not block

    def _matcher(self, prompt: Prompt, params: SamplingParams) -> GuideMatcher | None:
        if params.guide is None:
            return None
        return self._guides.matcher(params.guide, len(prompt.token_ids), prompt.stop_token_ids)

    def _capacity(self, num_tokens: int) -> int:
        """`max_length`, for a prompt that is not longer."""
        if num_tokens > self.max_length:
            what = "model's context" if self.max_length == self._runner.max_length else "KV pool"
            raise PromptTooLong(f"the prompt has {num_tokens} tokens, the {what} holds {self.max_length}")
        return self.max_length

    def _take_pictures(self, seq: Sequence, pictures: PreparedPictures | BatchingError) -> None:
        """Those of a waiting sequence, or why it has none; with them it may turn out to be too long."""
        try:
            if isinstance(pictures, BatchingError):
                raise pictures
            _ = self._capacity(len(pictures.token_ids or ()) + len(seq.prompt.continuation))
            seq.take_pictures(pictures)
        except BatchingError as error:
            self._scheduler.fail(seq, error)
            self._news.append(seq)
            self._publish()
        self._work.set()

    def _abort(self, seq: Sequence) -> None:
        if self._scheduler.abort(seq):
            self._news.append(seq)
            self._publish()
            self._work.set()

    def _publish(self) -> None:
        """Wake the streams that have news; the blocks of those that ended are free already."""
        self._reporter.report(self._outboxes.keys())
        news, self._news = self._news, []
        for seq in news:
            self._outboxes[seq.seq_id].publish()
            if seq.phase is Phase.FINISHED:
                del self._outboxes[seq.seq_id]
                self._reporter.request_ended(seq)
