"""What can go wrong between deployments, whatever the work was."""

from __future__ import annotations


class Busy(Exception):
    """Every replica and its queue are full; the same call may succeed later."""


class ReplicaDied(Exception):
    """The replica that held the call is gone; another one may take the call again."""
