"""The model of a fleet against what queueing theory says, and what it must never lose."""

import dataclasses
import math

import pytest

from benchmarks.capacity import Demands
from benchmarks.fleet import fleet_for, recovered_s
from benchmarks.harness.fleet_model import DocumentKind, Fleet, MachineKind, Stage, World, percentile

ONE_PAGE = (DocumentKind(share=1.0, num_pages=1, scanned_share=0.0),)


def station(load: float, spread: float, slice_s: float = math.inf) -> World:
    """One core, one page per second at most, and nothing else that takes time."""
    return World(
        machines=1,
        kind=MachineKind(cores=1),
        stages=(Stage(name="draw", seconds=1.0),),
        pages_per_s=load,
        documents=ONE_PAGE,
        spread=spread,
        slice_s=slice_s,
        commit_s=0.0,
        index_commit_s=0.0,
    )


@pytest.mark.parametrize("load", [0.3, 0.6])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_waiting_at_one_core_is_what_pollaczek_and_khinchine_say(load, spread):
    """A model that waits too little promises a fleet that is too small."""
    outcome = Fleet(station(load, spread), 60_000).run()
    expected = 1 + load * (1 + spread**2) / (2 * (1 - load))
    assert sum(outcome.latencies) / len(outcome.latencies) == pytest.approx(expected, rel=0.06)
    assert outcome.used["cores"] == pytest.approx(load, rel=0.03)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_pages_that_share_a_core_wait_however_unlike_they_are(spread):
    """As at a core that all share: the mean of a page depends on the load alone, a long page holds nobody up."""
    outcome = Fleet(station(0.6, spread, slice_s=0.05), 20_000).run()
    assert sum(outcome.latencies) / len(outcome.latencies) == pytest.approx(1 / (1 - 0.6), rel=0.06)
    assert outcome.used["cores"] == pytest.approx(0.6, rel=0.03)


def test_what_is_full_ends_no_more_than_it_can():
    """One owner of 2.7 ms per page commits 370 pages per second, whatever comes."""
    demands = Demands()
    outcome = Fleet(fleet_for(600, demands, shards=1), 30).run()
    assert outcome.num_pages / 30 == pytest.approx(1 / demands.commit_s, rel=0.05)
    assert outcome.used["jobs"] > 0.97
    assert Fleet(fleet_for(600, demands), 30).run().num_pages / 30 > 540, "with shards enough"


@pytest.mark.parametrize("of_owner", [False, True])
def test_no_page_is_lost_or_doubled_by_deaths(of_owner):
    """Pages that were on a machine that died are done again, once each."""
    world = fleet_for(40, Demands(), deaths=((20.0, of_owner), (40.0, of_owner)), replace_s=30.0)
    calm = Fleet(dataclasses.replace(world, deaths=()), 200).run()
    fleet = Fleet(world, 200)
    struck = fleet.run()
    assert struck.num_again > 0
    assert struck.num_pages == len(struck.ends)
    ended = sum(world.documents[0].num_pages for _ in struck.latencies)
    assert 0 <= struck.num_pages - ended <= 12 * (struck.backlog + 1), "a document ends when all its pages have"
    assert recovered_s(calm, struck, 20.0, 24) < 150
    assert abs(calm.num_pages - struck.num_pages) < 200


def test_tenants_take_turns():
    """Half of all work is one tenant's, and more than can be done: the others wait for a place, not for all of it."""
    world = dataclasses.replace(fleet_for(20, Demands(), in_flight=50), pages_per_s=60.0, hot_share=0.5)
    outcome = Fleet(world, 300).run()
    assert percentile(outcome.cold, 0.95) < percentile(outcome.latencies, 0.95) / 2


def test_the_same_seed_gives_the_same_run():
    """Else a death would be compared with another day."""
    one, other = (Fleet(station(0.5, 0.5), 500).run() for _ in range(2))
    assert one.latencies == other.latencies
