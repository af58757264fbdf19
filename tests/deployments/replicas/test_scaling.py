"""`deployments.replicas.scaling` through Serve's own delays and bounds, on a clock of the test's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ray.serve.autoscaling_policy import _apply_autoscaling_config
from ray.serve.config import AutoscalingConfig, AutoscalingContext

from deployments.replicas.scaling import WaitingWork

POLICY = WaitingWork(work="tokens", target=1000, per_call=100)
amounts = st.floats(0, 1e6)


def context_of(
    loads: dict[str, float | None], *, target: int | None = None, queued: float = 0, calls: float = 0
) -> Any:
    """What Serve shows a policy: None for a replica that has not told anything yet."""
    series = {
        name: [SimpleNamespace(value=0.0), SimpleNamespace(value=load)]
        for name, load in loads.items()
        if load is not None
    }
    return AutoscalingContext(
        deployment_id=None,
        deployment_name="Ocr",
        app_name="pagemill",
        current_num_replicas=len(loads),
        target_num_replicas=len(loads) if target is None else target,
        running_replicas=list(loads),
        total_num_requests=calls,
        total_queued_requests=queued,
        aggregated_metrics=None,
        raw_metrics={"tokens": series} if series else {},
        capacity_adjusted_min_replicas=0,
        capacity_adjusted_max_replicas=8,
        policy_state={},
        last_scale_up_time=None,
        last_scale_down_time=None,
        current_time=None,
        config=None,
    )


def test_replicas_follow_the_work_not_the_number_of_calls() -> None:
    """Guards against one call of a thousand lines that counts as little as one of a word."""
    assert POLICY(context_of({"a": 5000.0}, calls=1))[0] == 5
    assert POLICY(context_of({"a": 10.0}, calls=40))[0] == 1


def test_the_newest_word_counts_not_the_mean_of_what_was() -> None:
    """Guards against half a minute of quiet that hides a flood."""
    assert POLICY(context_of({"a": 3000.0, "b": 3000.0}, calls=2))[0] == 6


def test_calls_that_no_replica_has_taken_are_work_too() -> None:
    """Guards against a full replica whose queue at the callers is seen by nobody."""
    assert POLICY(context_of({"a": 1000.0}, queued=30, calls=40))[0] == 4


@given(load=amounts, calls=amounts)
def test_a_replica_that_has_not_spoken_is_not_taken_for_idle(load: float, calls: float) -> None:
    """What went wrong when this was tried first: silence read as nothing to do, and busy replicas were stopped."""
    assert POLICY(context_of({"a": load, "young": None}, calls=calls))[0] >= 2
    assert POLICY(context_of({"young": None}, target=3))[0] >= 3


def test_nothing_to_do_is_nothing_and_a_caller_keeps_the_last_one() -> None:
    """Guards against a replica that never goes, and against one that goes away under a call."""
    assert POLICY(context_of({"a": 0.0}))[0] == 0
    assert POLICY(context_of({"a": 0.0}, calls=1))[0] == 1
    assert POLICY(context_of({}, target=0))[0] == 0


@given(more=amounts, less=amounts)
def test_more_work_never_asks_for_fewer(more: float, less: float) -> None:
    """Guards against a rule with a fold in it."""
    low, high = sorted((more, less))
    assert POLICY(context_of({"a": low}))[0] <= POLICY(context_of({"a": high}))[0]


def test_up_at_once_down_after_the_delay_and_to_zero_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against delays of the file that do not reach the policy."""
    now = [100.0]
    monkeypatch.setattr("ray.serve.autoscaling_policy.time.time", lambda: now[0])
    config = AutoscalingConfig(
        min_replicas=0, max_replicas=8, upscale_delay_s=0, downscale_delay_s=60, downscale_to_zero_delay_s=300
    )
    policy: Any = _apply_autoscaling_config(POLICY)
    state: dict[str, Any] = {}

    def decided(ctx: Any) -> int:
        nonlocal state
        ctx.config, ctx.policy_state = config, state
        target, state = policy(ctx)
        return target

    assert decided(context_of({"a": 4000.0}, calls=9)) == 4
    four = dict.fromkeys("abcd", 0.0)
    assert decided(context_of(four)) == 4
    now[0] += 61
    assert decided(context_of(four)) == 1
    assert decided(context_of({"a": 0.0})) == 1
    now[0] += 299
    assert decided(context_of({"a": 0.0})) == 1
    now[0] += 2
    assert decided(context_of({"a": 0.0})) == 0


@pytest.mark.parametrize(("target", "per_call"), [(0, 1), (10, 0), (-1, 1)])
def test_a_target_of_nothing_is_refused(target: float, per_call: float) -> None:
    """Guards against a division by zero nine times a second."""
    with pytest.raises(ValueError, match="above 0"):
        WaitingWork("tokens", target, per_call)


def test_serve_can_load_it_by_name() -> None:
    """Guards against a policy that imports what the controller does not have."""
    policy = AutoscalingConfig(
        policy={
            "policy_function": "deployments.replicas.scaling:WaitingWork",
            "policy_kwargs": {"work": "tokens", "target": 10, "per_call": 1},
        }
    ).policy
    assert policy.get_policy()(**policy.policy_kwargs)(context_of({"a": 25.0}))[0] == 2.5
