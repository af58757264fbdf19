"""Makes sure that only one server changes the job database: takes, renews and gives back a lease."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from deployments.jobs.store.database_schema import lease, table_of
from deployments.values.shards import SINGLE_SHARD, Shard

logger = logging.getLogger("ray.serve")
NAME = "jobs"


class LeaseLost(Exception):
    """Another owner has taken over; this one must not change anything any more."""


class Lease:
    """One row; its owner renews it with every change, and whoever finds it run out may take it."""

    def __init__(self, shard: Shard = SINGLE_SHARD) -> None:
        self._shard = shard
        self._owner = uuid.uuid4().hex
        self._lease_s = 0.0
        self._other: tuple[str, float] | None = None  # another owner and until when, as last seen
        self._other_since = 0.0  # of the monotonic clock
        self._others_until: dict[int, tuple[float, float]] = {}  # of other shards' rows, with when they were read first

    def take(self, db: Connection, lease_s: float) -> float:
        """Take or renew the row; 0 when it is ours, else the seconds until it may have run out.

        A row that nobody renews for `lease_s` seconds of the monotonic clock has run out whatever it says: its owner
        is gone, and the clock of the machine was set back.
        """
        self._lease_s, now = lease_s, time.time()
        if (left_s := self._left_of_others(db, now)) > 0:
            return left_s
        free = (lease.c.owner == self._owner) | (lease.c.until < now)
        if self._other is not None and time.monotonic() - self._other_since >= lease_s:
            free |= (lease.c.owner == self._other[0]) & (lease.c.until == self._other[1])
        values = {"owner": self._owner, "until": now + lease_s, "num_shards": self._shard.count}
        mine = update(lease).where((lease.c.name == NAME) & free).values(**values)
        if db.execute(mine).rowcount:
            return 0.0
        try:
            with db.begin_nested():
                db.execute(insert(lease).values(name=NAME, **values))
        except IntegrityError:
            row = db.execute(select(lease.c.owner, lease.c.until).where(lease.c.name == NAME)).one_or_none()
            return 0.01 if row is None else self._wait_s((row.owner, row.until), now)
        return 0.0

    def _left_of_others(self, db: Connection, now: float) -> float:
        """Seconds until the owners of other shards that know of more or fewer of them may have gone.

        Else one would take what the other looks for elsewhere.
        """
        left_s = 0.0
        for shard in self._shard.others:
            table = table_of(shard, "lease")
            differs = func.coalesce(table.c.num_shards, 1) != self._shard.count
            until = db.execute(select(table.c.until).where(table.c.name == NAME, differs, table.c.until > now)).scalar()
            if until is not None:
                if self._others_until.get(shard, (0.0, 0.0))[0] != until:
                    self._others_until[shard] = until, time.monotonic()
                unchanged_s = time.monotonic() - self._others_until[shard][1]  # as `_wait_s`
                left_s = max(left_s, min(until - now, self._lease_s - unchanged_s))
        return left_s

    def _wait_s(self, other: tuple[str, float], now: float) -> float:
        """Seconds until the row of another owner may have run out."""
        left_s = other[1] - now
        if other != self._other:
            self._other = other
            self._other_since = time.monotonic()
            if left_s > self._lease_s:
                logger.warning(
                    "the lease of the jobs runs for %.0f s more, as no lease does: the clock was set back. It is taken"
                    " over in %.0f s unless its owner renews it",
                    left_s,
                    self._lease_s,
                )
        unchanged_s = time.monotonic() - self._other_since
        return max(0.01, min(left_s, self._lease_s - unchanged_s))

    def hold(self, db: Connection) -> None:
        """Renew the row as the first statement of a change: it locks out every other owner until the commit.

        Raises:
            LeaseLost: the row is another owner's, or was never ours.
        """
        mine = (lease.c.name == NAME) & (lease.c.owner == self._owner)
        if not db.execute(update(lease).where(mine).values(until=time.time() + self._lease_s)).rowcount:
            raise LeaseLost("another server has taken over the jobs")

    def check(self, db: Connection) -> None:
        """Raises LeaseLost unless the row is ours for a while; changes nothing, so it also works on a full disk."""
        mine = (lease.c.name == NAME, lease.c.owner == self._owner, lease.c.until > time.time() + self._lease_s / 3)
        if db.execute(select(lease.c.name).where(*mine)).first() is None:
            raise LeaseLost("another server has taken over the jobs, or is about to")

    def drop(self, db: Connection) -> None:
        """Give the row back, if it is ours."""
        db.execute(delete(lease).where(lease.c.name == NAME, lease.c.owner == self._owner))


async def take_lease(acquire: Callable[[], Awaitable[float]]) -> None:
    """Wait until the lease is ours; `acquire` gives the seconds until another owner's may have run out."""
    while left_s := await acquire():  # noqa: ASYNC110  it is time itself that is waited for
        await asyncio.sleep(left_s)


async def keep_lease(renew: Callable[[], Awaitable[None]], lose: Callable[[], None], *, lease_s: float) -> None:
    """Renew the lease three times in its life, until another owner has taken it: then `lose` is called."""
    while True:
        await asyncio.sleep(lease_s / 3)
        try:
            await renew()
        except LeaseLost:
            lose()
            return
        except Exception:  # the database may be away for a moment; nobody can take the lease meanwhile either
            logger.exception("the lease of the jobs could not be renewed")
