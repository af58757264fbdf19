"""Tries a layout, kernel or route where it will run: processors, libraries and drivers differ in what works on them."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import torch

from batching.errors import UnsupportedModel

log = logging.getLogger(__name__)

T = TypeVar("T")


class NotHere(Exception):
    """Why a layout, kernel or route is not used on this machine, or not for this model."""


def probed(name: str, make: Callable[[], T], fault_of: Callable[[T], str | None]) -> T:
    """What `make` gives, if it works here: `fault_of` computes with it, and returns what is wrong with the result.

    Raises:
        NotHere: one of the two raised an error, or there is a fault; the log says so.
        MemoryError, UnsupportedModel: as they come; they are of the machine's memory and of the model.
    """
    try:
        candidate = make()
        fault = fault_of(candidate)
    except NotHere as error:  # nothing failed: it is known not to fit
        log.info("%s is not used: %s", name, error)
        raise
    except (MemoryError, torch.OutOfMemoryError, UnsupportedModel):
        raise
    except Exception as error:  # whatever a kernel raises on a processor that it was not made for
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        log.warning("%s is not used, it fails here: %s", name, fault)
        raise NotHere(fault) from error
    if fault is not None:
        log.warning("%s is not used, it is wrong here: %s", name, fault)
        raise NotHere(fault)
    return candidate
