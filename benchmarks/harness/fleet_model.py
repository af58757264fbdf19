"""The model of a fleet: machines, shards with an owner each, documents that come, pages that are done again.

A page is drawn, may be looked at, is read by OCR if it is scanned, and is committed by the owner of its shard; its
document is committed to the index of that shard when all its pages are there. Pages share cores and GPUs in time
slices, as processes and an engine's steps do. A page whose machine dies is done again elsewhere; while a shard's owner
is dead, its pages wait, and those that were on their way are done again.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import simpy

Steps = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a page passes on one machine."""

    name: str
    seconds: float  # of a core or a GPU, mean
    on_gpu: bool = False
    of_kind: Literal["all", "scanned", "digital"] = "all"  # pages that pass it
    width: int = 1_000  # pages of one machine at once, as an engine's steps hold so many; others wait in order


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineKind:
    cores: int = 16
    gpus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKind:
    share: float  # of the documents
    num_pages: int
    scanned_share: float  # of their pages


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is simulated; rates are of the whole fleet."""

    machines: int
    kind: MachineKind
    stages: Sequence[Stage]
    shards: int = 1
    pages_per_s: float | None = None  # documents come at random; None: `senders` send one after the other
    senders: int = 0
    documents: Sequence[DocumentKind] = (DocumentKind(share=1.0, num_pages=12, scanned_share=0.2),)
    spread: float = 0.5  # standard deviation of a stage's time over its mean
    slice_s: float = 0.05  # that a page keeps a core or a GPU while others wait for it
    hot_share: float = 0.0  # of the documents, of one tenant; the others are of many
    in_flight: int = 1024  # pages of one shard
    commit_s: float = 0.0027
    index_commit_s: float = 0.039
    notice_s: float = 10.0  # until the death of a machine is noticed
    replace_s: float = 180.0  # until another one serves
    lease_s: float = 15.0  # until another owner takes a shard over
    deaths: Sequence[tuple[float, bool]] = ()  # when, and whether it is the machine of an owner


@dataclass(slots=True, eq=False)
class Machine:
    cores: simpy.Resource
    gpus: simpy.Resource
    stations: dict[str, simpy.Resource]
    pages: set[simpy.Process] = field(default_factory=set)

    @property
    def load(self) -> int:
        return len(self.pages)


@dataclass(slots=True, eq=False)
class Shard:
    """Its owner commits one after the other, and lets tenants take turns."""

    owner: simpy.Resource
    index: simpy.Resource
    slots: simpy.Resource
    waiting: dict[int, deque[simpy.Event]] = field(default_factory=dict)  # by tenant
    up: simpy.Event | None = None  # that it is served again
    num_deaths: int = 0


@dataclass(slots=True)
class Outcome:
    """What came of it."""

    seconds: float
    num_pages: int = 0
    num_again: int = 0  # pages that were done again
    latencies: list[float] = field(default_factory=list)  # of documents
    cold: list[float] = field(default_factory=list)  # the same, of tenants that are not the hot one
    used: dict[str, float] = field(default_factory=dict)  # share of the time that what there is was in use
    backlog: int = 0  # documents that had not ended
    ends: list[float] = field(default_factory=list)  # when each page was committed


class Fleet:
    """One run; the same seed gives the same documents at the same times, whatever dies meanwhile."""

    def __init__(self, world: World, seconds: float, seed: int = 1) -> None:
        self.world, self.seconds = world, seconds
        self.env = simpy.Environment()
        self.chance, self.arrivals = random.Random(seed), random.Random(seed + 1)
        self.machines = [self._machine() for _ in range(world.machines)]
        self.shards = [
            Shard(
                owner=simpy.Resource(self.env, 1),
                index=simpy.Resource(self.env, 1),
                slots=simpy.Resource(self.env, world.in_flight),
            )
            for _ in range(world.shards)
        ]
        self.busy: dict[str, float] = dict.fromkeys(("cores", "gpus", "jobs", "index"), 0.0)
        self.outcome = Outcome(seconds)
        self.num_documents = self.num_ended = 0

    def run(self) -> Outcome:
        arrivals = [self._arrivals()] if self.world.pages_per_s else [self._sender() for _ in range(self.world.senders)]
        for steps in (*arrivals, *(self._death(*death) for death in self.world.deaths)):
            self.env.process(steps)
        self.env.run(until=self.seconds)
        of = self.world
        have = {
            "cores": of.machines * of.kind.cores,
            "gpus": of.machines * of.kind.gpus,
            "jobs": of.shards,
            "index": of.shards,
        }
        self.outcome.used = {name: self.busy[name] / (have[name] * self.seconds) for name in have if have[name]}
        self.outcome.backlog = self.num_documents - self.num_ended
        return self.outcome

    def _machine(self) -> Machine:
        of = self.world
        stations = {stage.name: simpy.Resource(self.env, stage.width) for stage in of.stages}
        gpus = simpy.Resource(self.env, max(1, of.kind.gpus))
        return Machine(simpy.Resource(self.env, of.kind.cores), gpus, stations)

    def _arrivals(self) -> Steps:
        mean_pages = sum(kind.share * kind.num_pages for kind in self.world.documents)
        assert self.world.pages_per_s
        while True:
            yield self.env.timeout(self.arrivals.expovariate(self.world.pages_per_s / mean_pages))
            self.env.process(self._document())

    def _sender(self) -> Steps:
        while True:
            yield self.env.process(self._document())

    def _document(self) -> Steps:
        kind = self.arrivals.choices(self.world.documents, [kind.share for kind in self.world.documents])[0]
        is_hot = self.arrivals.random() < self.world.hot_share
        tenant = 0 if is_hot else self.arrivals.randrange(1, 10_000)
        shard = self.arrivals.choice(self.shards)
        begun = self.env.now
        self.num_documents += 1
        scans = [self.arrivals.random() < kind.scanned_share for _ in range(kind.num_pages)]
        pages = [self.env.process(self._page(shard, tenant, is_scanned)) for is_scanned in scans]
        yield self.env.all_of(pages)
        with shard.index.request() as turn:
            yield turn
            yield from self._spend("index", self.world.index_commit_s)
        self.num_ended += 1
        for latencies in (self.outcome.latencies, *([] if is_hot else [self.outcome.cold])):
            latencies.append(self.env.now - begun)

    def _page(self, shard: Shard, tenant: int, is_scanned: bool) -> Steps:
        yield self._turn(shard, tenant)
        while True:
            num_deaths = shard.num_deaths
            while not self.machines:
                yield self.env.timeout(1.0)
            machine = min(self.chance.sample(self.machines, min(2, len(self.machines))), key=lambda one: one.load)
            work = self.env.process(self._work(machine, is_scanned))
            machine.pages.add(work)
            done = yield work
            machine.pages.discard(work)
            if not done:
                self.outcome.num_again += 1
                yield self.env.timeout(self.world.notice_s)
                continue
            if shard.up is not None:
                yield shard.up
            if shard.num_deaths == num_deaths:
                break
            self.outcome.num_again += 1
        with shard.owner.request() as turn:
            yield turn
            yield from self._spend("jobs", self.world.commit_s)
        self.outcome.num_pages += 1
        self.outcome.ends.append(self.env.now)
        self._next(shard)

    def _turn(self, shard: Shard, tenant: int) -> simpy.Event:
        """A place in the pipeline: at once, or when the tenant's turn comes."""
        event = self.env.event()
        if shard.slots.count < shard.slots.capacity:
            shard.slots.request()
            event.succeed()
        else:
            shard.waiting.setdefault(tenant, deque()).append(event)
        return event

    def _next(self, shard: Shard) -> None:
        """The place that a page leaves goes to the tenant whose turn it is, who then goes behind the others."""
        if not shard.waiting:
            shard.slots.release(shard.slots.users[0])
            return
        tenant = next(iter(shard.waiting))
        pages = shard.waiting.pop(tenant)
        pages.popleft().succeed()
        if pages:
            shard.waiting[tenant] = pages

    def _work(self, machine: Machine, is_scanned: bool) -> Generator[simpy.Event, Any, bool]:
        """Whether the page came through: its machine may have died."""
        try:
            for stage in self.world.stages:
                if stage.of_kind not in ("all", "scanned" if is_scanned else "digital"):
                    continue
                device, name = (machine.gpus, "gpus") if stage.on_gpu else (machine.cores, "cores")
                with machine.stations[stage.name].request() as place:
                    yield place
                    left_s = self._drawn(stage.seconds)
                    while left_s > 0:
                        seconds = min(left_s, self.world.slice_s)
                        with device.request() as turn:
                            yield turn
                            yield self.env.timeout(seconds)
                        self.busy[name] += seconds
                        left_s -= seconds
        except simpy.Interrupt:
            return False
        return True

    def _spend(self, name: str, mean_s: float) -> Steps:
        seconds = self._drawn(mean_s)
        yield self.env.timeout(seconds)
        self.busy[name] += seconds

    def _drawn(self, mean: float) -> float:
        """Log-normal, of the world's spread."""
        sigma = math.sqrt(math.log(1 + self.world.spread**2))
        return self.chance.lognormvariate(math.log(mean) - sigma**2 / 2, sigma) if mean else 0.0

    def _death(self, at: float, of_owner: bool) -> Steps:
        yield self.env.timeout(at)
        machine = self.machines.pop(
            self.chance.randrange(len(self.machines))
        )  # a call that finds it dead goes elsewhere
        for work in list(machine.pages):
            if work.is_alive:
                work.interrupt()
        if of_owner:
            self.env.process(self._taken_over(self.shards[0]))
        yield self.env.timeout(self.world.replace_s)
        self.machines.append(self._machine())

    def _taken_over(self, shard: Shard) -> Steps:
        shard.num_deaths += 1
        shard.up = up = self.env.event()
        yield self.env.timeout(self.world.lease_s)
        shard.up = None
        up.succeed()


def percentile(values: Sequence[float], share: float) -> float:
    """Of values that need not be sorted; not a number if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan
