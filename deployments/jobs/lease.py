"""At any moment at most one owner changes job state, also while an old and a new server overlap."""

from __future__ import annotations

import time
import uuid

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from deployments.jobs.tables import lease

NAME = "jobs"


class LeaseLost(Exception):
    """Another owner has taken over; this one must not change anything any more."""


class Lease:
    """One row; its owner renews it with every change, and whoever finds it run out may take it."""

    def __init__(self) -> None:
        self._owner = uuid.uuid4().hex
        self._lease_s = 0.0

    def take(self, db: Connection, lease_s: float) -> float:
        """Take or renew the row; 0 when it is ours, else the seconds until it may have run out."""
        self._lease_s, now = lease_s, time.time()
        free = (lease.c.name == NAME) & ((lease.c.owner == self._owner) | (lease.c.until < now))
        if db.execute(update(lease).where(free).values(owner=self._owner, until=now + lease_s)).rowcount:
            return 0.0
        try:
            with db.begin_nested():
                db.execute(insert(lease).values(name=NAME, owner=self._owner, until=now + lease_s))
        except IntegrityError:
            until = db.execute(select(lease.c.until).where(lease.c.name == NAME)).scalar_one_or_none()
            return max(0.01, (until or now) - now)
        return 0.0

    def hold(self, db: Connection) -> None:
        """Renew the row as the first statement of a change: it locks out every other owner until the commit.

        Raises:
            LeaseLost: the row is another owner's, or was never ours.
        """
        mine = (lease.c.name == NAME) & (lease.c.owner == self._owner)
        if not db.execute(update(lease).where(mine).values(until=time.time() + self._lease_s)).rowcount:
            raise LeaseLost("another server has taken the jobs over")

    def drop(self, db: Connection) -> None:
        """Give the row back, if it is ours."""
        db.execute(delete(lease).where(lease.c.name == NAME, lease.c.owner == self._owner))
