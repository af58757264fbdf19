"""Engine: continuous batching behind an async interface."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType

from batching.completion import FINISHED, FinishReason
from batching.config import EngineConfig, EngineStats, RequestStats, StepStats
from batching.errors import BatchingError, EngineClosed, EngineDead, EngineFull, PromptTooLong, RequestRefused, again
from batching.plan import StepPlan, StepResult
from batching.request import Request
from batching.runner import Ahead, Runner
from batching.sampling import SamplingParams
from batching.scheduler import Scheduler
from batching.sequence import Phase, Sequence
from batching.stream import Outbox, TokenStream

log = logging.getLogger(__name__)


class Engine:
    """Requests join and leave at any step.

    Only the event loop touches the scheduler, and only one thread, the engine's own, runs the model. The life of a
    request: `submit` makes a sequence and its stream; each step, the loop schedules, the thread runs, the loop commits
    and wakes the streams that have news.
    """

    def __init__(self, runner: Runner, config: EngineConfig | None = None) -> None:
        """Nothing is allocated or started yet; one engine at a time may use a runner."""
        self._config = config or EngineConfig()
        self._runner = runner
        self._scheduler = Scheduler(self._config, runner.max_tiles(self._config.vision_budget_mb))
        self._on_step, self._on_finish = self._config.on_step, self._config.on_finish
        self._outboxes: dict[int, Outbox] = {}
        self._seq_ids = itertools.count()
        self._work = asyncio.Event()
        self._thread: ThreadPoolExecutor | None = None
        self._driver: asyncio.Task[None] | None = None
        self._ended: BatchingError | None = EngineClosed("the engine was not started")
        self._closing = False
        self._num_preempted = 0  # as last reported
        self._settled: _Settled | None = None  # a step whose figures are still to be told
        self._num_steps = self._num_finished = self._num_aborted = self._num_failed = 0

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
            EngineClosed: it was started before, or a start that came to nothing still frees what it took.
            UnsupportedModel: the runner cannot run its model.
        """
        if self._thread is not None:
            raise EngineClosed("an engine is started once")
        self._thread = thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="batching-model")
        config, loop = self._config, asyncio.get_running_loop()
        try:
            await loop.run_in_executor(
                thread, self._runner.allocate, config.num_blocks, config.block_size, config.max_running
            )
        except BaseException:  # it failed, or nobody waits any more: nothing is kept, and a later start may try
            freed = thread.submit(self._free, thread)  # after an allocation that still runs
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(asyncio.wrap_future(freed))
            raise
        self._ended = None
        self._driver = loop.create_task(self._drive(thread), name="batching-engine")

    def _free(self, thread: ThreadPoolExecutor) -> None:
        """In the thread of a start that came to nothing; a start meanwhile is refused."""
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
            EngineFull: `max_waiting` requests wait already.
            EngineClosed, EngineDead: the engine does not serve.
            RequestRefused: the request can never be served; see its subclasses.
        """
        if self._ended is not None:
            raise again(self._ended)
        if len(self._scheduler.waiting) >= self._config.max_waiting:
            raise EngineFull(f"{self._config.max_waiting} requests wait already")
        params = request.sampling or SamplingParams()
        self._check_params(params)
        prompt = self._runner.prepare(request)
        seq = Sequence.of(
            next(self._seq_ids),
            prompt,
            params,
            capacity=self._capacity(len(prompt.token_ids), params.num_beams),
            label=request.label,
            tokenizer=self._runner.tokenizer,
        )
        outbox = self._outboxes[seq.seq_id] = Outbox(seq)
        self._scheduler.add(seq)
        self._publish([seq])  # it has ended already if no token is asked for
        self._work.set()
        return TokenStream(outbox, self._runner.tokenizer, self._abort)

    def stats(self) -> EngineStats:
        """Where the engine stands now."""
        scheduler = self._scheduler
        return EngineStats(
            num_waiting=len(scheduler.waiting),
            num_running=len(scheduler.running),
            num_blocks=scheduler.pool.num_blocks,
            num_free_blocks=scheduler.pool.num_free,
            num_steps=self._num_steps,
            num_preempted=scheduler.num_preempted,
            num_aborted=self._num_aborted,
            num_failed=self._num_failed,
            num_finished=self._num_finished,
        )

    async def _drive(self, thread: ThreadPoolExecutor) -> None:
        """Step until closed; whatever ends it, every stream is told and the model thread is gone."""
        loop = asyncio.get_running_loop()
        news: list[Sequence] = []  # of the step before; all are told of it once the next one is under way
        try:
            while not self._closing:
                self._work.clear()
                plan = self._scheduler.schedule()
                if plan is None:
                    news = self._publish(news)
                    await self._work.wait()
                elif self._runner.ahead is None:
                    begun = time.perf_counter()
                    running = loop.run_in_executor(thread, self._runner.run, plan)
                    news = self._publish(news)
                    news = self._settle(plan, await running, begun)
                else:
                    await self._run_ahead(self._runner.ahead, plan, thread)
        except asyncio.CancelledError:  # the loop is being torn down
            raise
        except BaseException as error:  # the loop's edge: nothing that the model thread raises may be lost
            log.exception("The model thread failed; the engine is dead")
            self._ended = EngineDead(f"the model thread failed: {error!r}")
            self._ended.__cause__ = error
        finally:
            self._ended = self._ended or EngineClosed("the engine's loop was ended")
            self._publish(news)
            self._publish(self._scheduler.end_all(self._ended))
            await self._quit(thread)

    async def _run_ahead(self, runner: Ahead, plan: StepPlan, thread: ThreadPoolExecutor) -> None:
        """Steps of which each is planned and launched before the one before it is over, for as long as that goes."""
        loop = asyncio.get_running_loop()
        begun = time.perf_counter()
        flight = await loop.run_in_executor(thread, runner.launch, plan)
        while flight is not None:
            after = None if self._closing else self._scheduler.schedule_ahead(plan)
            launched = None if after is None else await loop.run_in_executor(thread, runner.launch, after)
            self._publish(self._settle(plan, await loop.run_in_executor(thread, runner.collect, flight), begun))
            flight, plan, begun = launched, after or plan, time.perf_counter()

    def _settle(self, plan: StepPlan, result: StepResult, begun: float) -> list[Sequence]:
        """Commit a step; the sequences whose streams are to be told."""
        self._num_steps += 1
        news = self._scheduler.commit(plan, result)
        self._settled = _Settled(plan, time.perf_counter() - begun, self.stats())
        return news

    async def _quit(self, thread: ThreadPoolExecutor) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(thread, self._runner.close)
        finally:
            thread.shutdown()  # idle by now, so this does not block

    def _check_params(self, params: SamplingParams) -> None:
        if params.num_beams > self._config.max_running:
            raise RequestRefused(f"num_beams is {params.num_beams}, max_running {self._config.max_running}")
        if params.stop and self._runner.tokenizer is None:
            raise RequestRefused("stop needs a tokenizer, and this runner has none")

    def _capacity(self, num_tokens: int, num_beams: int) -> int:
        """Tokens that each branch of one sequence may have KV for, should no two of them share a block."""
        pool = self._scheduler.pool
        slots = pool.num_blocks // num_beams * pool.block_size
        for limit, of in ((slots, "KV pool"), (self._runner.max_length, "model's context")):
            if num_tokens > limit:
                raise PromptTooLong(f"the prompt has {num_tokens} tokens, the {of} holds {limit}")
        return min(slots, self._runner.max_length)

    def _abort(self, seq: Sequence) -> None:
        if self._scheduler.abort(seq):
            self._publish([seq])
            self._work.set()

    def _publish(self, seqs: list[Sequence]) -> list[Sequence]:
        """Tell all of what came; the blocks of those that ended are free already. Nothing is left to tell."""
        self._report()
        for seq in seqs:
            self._outboxes[seq.seq_id].publish()
            if seq.phase is Phase.FINISHED:
                del self._outboxes[seq.seq_id]
                self._count(seq)
        return []

    def _count(self, seq: Sequence) -> None:
        assert seq.finish_reason is not None
        self._num_aborted += seq.finish_reason is FinishReason.ABORT
        self._num_failed += seq.finish_reason is FinishReason.ERROR
        self._num_finished += seq.finish_reason in FINISHED
        if self._on_finish is None:
            return
        stats = RequestStats(
            label=seq.label,
            finish_reason=seq.finish_reason,
            num_prompt=seq.num_prompt,
            num_output=seq.num_output,
            num_preempted=seq.num_preempted,
            timings=seq.timings(),
        )
        try:
            self._on_finish(stats)
        except Exception:  # a broken callback must not end the requests
            log.exception("on_finish failed and is not called again")
            self._on_finish = None

    def _report(self) -> None:
        """The figures of the step that was settled, if they are not told yet."""
        settled, self._settled = self._settled, None
        if settled is None:
            return
        plan, after = settled.plan, settled.after
        num_preempted, self._num_preempted = after.num_preempted - self._num_preempted, after.num_preempted
        if self._on_step is None:
            return
        rows = [row for row in plan.rows if row.seq_id in self._outboxes]  # neither padding nor ended before
        decodes = len([row for row in rows if row.decodes])
        stats = StepStats(
            num_decodes=decodes,
            num_prefill_tokens=sum([row.count for row in rows]) - decodes,
            num_running=after.num_running,
            num_waiting=after.num_waiting,
            num_free_blocks=after.num_free_blocks,
            num_preempted=num_preempted,
            num_padding=len([row for row in plan.rows if row.padding]),
            step_s=settled.step_s,
            labels=frozenset([row.label for row in rows]),
        )
        try:
            self._on_step(stats)
        except Exception:  # a broken callback must not end the requests
            log.exception("on_step failed and is not called again")
            self._on_step = None


@dataclass(slots=True)
class _Settled:
    """A step that is over."""

    plan: StepPlan
    step_s: float
    after: EngineStats
