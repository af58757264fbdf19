"""What can go wrong between deployments, whatever the work was."""

from __future__ import annotations


class Busy(Exception):
    """Every replica and its queue are full; the same call may succeed later."""


class DatabaseAway(Busy):
    """The job database does not answer now; what was asked of it may have been done all the same."""


class DiskFull(Busy):
    """There is no room to write; what is under way waits, and goes on where room is made."""


class DatabaseDamaged(Exception):
    """The file of the job database is no database any more, or parts of it are not."""


class ReplicaDied(Exception):
    """The replica that held the call is gone; another one may take the call again."""
