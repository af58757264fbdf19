"""Ray Serve request router: sends a call to the OCR replica with the fewest waiting tokens.

Ray calls this interface alpha, so all that is written against it is here. It is off unless a file names it; Serve's
own router takes its place without any other change.
"""

from __future__ import annotations

from typing import Any

from ray.serve.request_router import FIFOMixin, PendingRequest, ReplicaID, RequestRouter, RunningReplica

COST_KEY = "cost"  # the keyword argument that holds the expected number of tokens of a call
DEFAULT_COST = 500.0  # tokens of a call without that keyword: a crop with a few paragraphs
BACKLOG_KEY = "waiting_tokens"  # the key of a replica's backlog in `record_routing_stats`


class FewestTokens(FIFOMixin, RequestRouter):
    """A replica has before it what it tells or what this caller has sent there, whichever is more.

    The first is of all callers and half a second old, the second of this one alone and exact. Their sum would count
    most calls twice.
    """

    def initialize_state(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] # takes no settings
        """Nothing has been sent yet."""
        self._sent: dict[ReplicaID, float] = {}
        # by replica, too, and in a list: all calls that one request makes share its id
        self._costs: dict[tuple[str, ReplicaID], list[float]] = {}

    async def choose_replicas(
        self,
        candidate_replicas: list[RunningReplica],
        pending_request: PendingRequest | None = None,  # noqa: ARG002 # where a call goes depends on the replicas alone
    ) -> list[list[RunningReplica]]:
        """All of them, the one with the least before it first; the next is asked when one takes no more calls."""
        return [[replica] for replica in sorted(candidate_replicas, key=self._before)]

    def on_request_routed(self, pending_request: PendingRequest, replica_id: ReplicaID, result: Any) -> None:  # noqa: ARG002
        """A call went there."""
        cost = float(pending_request.kwargs.get(COST_KEY) or DEFAULT_COST)
        self._sent[replica_id] = self._sent.get(replica_id, 0.0) + cost
        self._costs.setdefault((pending_request.metadata.internal_request_id, replica_id), []).append(cost)

    def on_request_completed(self, replica_id: ReplicaID, internal_request_id: str) -> None:
        """A call there is over, in whatever way."""
        key = internal_request_id, replica_id
        costs = self._costs.get(key)
        if not costs:
            return
        remaining_tokens = self._sent[replica_id] - costs.pop(0)
        if not costs:
            del self._costs[key]
        if remaining_tokens > 0:
            self._sent[replica_id] = remaining_tokens
        else:
            del self._sent[replica_id]  # replicas come and go: what is idle leaves nothing behind

    def _before(self, replica: RunningReplica) -> float:
        waiting_tokens = float(replica.routing_stats.get(BACKLOG_KEY) or 0.0)
        return max(waiting_tokens, self._sent.get(replica.replica_id, 0.0))
