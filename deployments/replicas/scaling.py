"""Ray Serve autoscaling policy: as many replicas as the waiting work (tokens, pages) needs.

Serve imports a policy by its name and pickles its module for the controller: this one needs the standard library alone.
"""

from __future__ import annotations

from typing import Any


class WaitingWork:
    """An autoscaling policy for calls of very different size, which Serve's own, a count of calls, cannot tell apart.

    Bounds, factors and delays of the deployment's `autoscaling_config` apply to what it gives. A replica tells its work
    every ten seconds (Serve's interval), so a young one has told nothing: until each has spoken, none is taken away.
    """

    def __init__(self, work: str, target: float, per_call: float) -> None:
        """`work`: a figure of the replicas' `record_autoscaling_stats`; `target`: how much of it one replica may have
        waiting; `per_call`: how much to expect of a call that no replica has taken yet.

        Raises:
            ValueError: a target or a call of no work.
        """
        if target <= 0 or per_call <= 0:
            raise ValueError(f"target and per_call are above 0; not {target} and {per_call}")
        self._work = work
        self._target = target
        self._per_call = per_call

    def __call__(self, ctx: Any) -> tuple[float, dict[str, Any]]:
        """Replicas wanted (Serve rounds up) for a `ray.serve.config.AutoscalingContext`; no state is kept."""
        if not ctx.running_replicas:  # Serve itself starts the first one for the first call
            return ctx.target_num_replicas, {}
        series = (ctx.raw_metrics or {}).get(self._work, {})
        loads = [series[replica][-1].value for replica in ctx.running_replicas if series.get(replica)]
        waiting = sum(loads) + self._per_call * (ctx.total_queued_requests or 0)
        num_replicas = waiting / self._target
        if ctx.total_num_requests > 0:
            num_replicas = max(num_replicas, 1.0)  # the last one stays while anybody calls, whatever it has to do
        if len(loads) < len(ctx.running_replicas):
            num_replicas = max(num_replicas, float(ctx.target_num_replicas))
        return num_replicas, {}
