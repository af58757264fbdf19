"""`deployments.calls.routing` as Serve calls it: chosen, routed, over."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployments.calls.routing import DEFAULT_COST, FewestTokens


@pytest.fixture
def router() -> FewestTokens:
    return made()


def made() -> FewestTokens:
    """Without Serve's own part, which needs a running Ray."""
    router = object.__new__(FewestTokens)
    router.initialize_state()
    return router


def replica(name: str, load: float | None = None) -> Any:
    return SimpleNamespace(replica_id=name, routing_stats={} if load is None else {"waiting_tokens": load})


def call(cost: float | None, request: str = "r") -> Any:
    kwargs = {} if cost is None else {"cost": cost}
    return SimpleNamespace(kwargs=kwargs, metadata=SimpleNamespace(internal_request_id=request))


def order(router: FewestTokens, *replicas: Any) -> list[str]:
    ranks = asyncio.run(router.choose_replicas(list(replicas)))
    return [candidate.replica_id for (candidate,) in ranks]


def test_small_calls_do_not_queue_behind_a_huge_one(router: FewestTokens) -> None:
    """Guards against a count of calls, for which one huge call is as light as one small."""
    router.on_request_routed(call(50_000), "a", None)
    placed = []
    for number in range(12):
        placed.append(order(router, replica("a"), replica("b"), replica("c"))[0])
        router.on_request_routed(call(100, f"small {number}"), placed[-1], None)
    assert (placed.count("a"), placed.count("b"), placed.count("c")) == (0, 6, 6)


def test_what_others_sent_counts_by_what_the_replica_tells(router: FewestTokens) -> None:
    """Guards against callers of which each sees its own calls alone."""
    assert order(router, replica("a", load=900), replica("b", load=100)) == ["b", "a"]
    router.on_request_routed(call(500), "b", None)
    assert order(router, replica("a", load=400), replica("b", load=100)) == ["a", "b"]


def test_every_replica_is_a_choice_the_fullest_last(router: FewestTokens) -> None:
    """Guards against a call that waits though another replica would take it."""
    assert order(router, replica("a", 3), replica("b", 2), replica("c", 1)) == ["c", "b", "a"]
    assert order(router) == []


def test_a_call_that_does_not_say_counts_as_some_paragraphs(router: FewestTokens) -> None:
    """Guards against calls from outside that weigh nothing."""
    router.on_request_routed(call(None), "a", None)
    assert order(router, replica("a"), replica("b", DEFAULT_COST - 1)) == ["b", "a"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9), st.booleans()), max_size=30))
def test_what_was_sent_is_taken_back_to_the_last_token(steps: list[tuple[str, int, bool]]) -> None:
    """All child calls of one request share its id: guards against a cost that is taken back twice, or never."""
    router, open_calls = made(), []
    for name, cost, ends in steps:
        router.on_request_routed(call(cost), name, None)
        open_calls.append(name)
        if ends:
            router.on_request_completed(open_calls.pop(0), "r")
    for name in open_calls:
        router.on_request_completed(name, "r")
    router.on_request_completed("a", "never routed")
    assert (router._sent, router._costs) == ({}, {})
