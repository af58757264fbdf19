"""Removes text that a runaway OCR model repeats at the end."""

from __future__ import annotations

MAX_PERIOD = 100  # maximum length of the repeated text, in characters
MIN_REPETITIONS = 3.0  # minimum number of repetitions
MIN_REPEATED_CHARACTERS = 20  # minimum length of all repetitions together, in characters


def without_runaway(text: str) -> str:
    """A text that was stopped at its limit, up to the end of the first of the repetitions that it ends with."""
    best, cut = 0, len(text)
    for period in range(1, min(MAX_PERIOD, len(text) // 2) + 1):
        repeated = _repeated(text, period)
        if repeated + period >= max(MIN_REPETITIONS * period, MIN_REPEATED_CHARACTERS) and repeated > best:
            best, cut = repeated, len(text) - repeated
    return text[:cut].rstrip()


def _repeated(text: str, period: int) -> int:
    """How many characters at the end equal those `period` before them."""
    count = 0
    while count < len(text) - period and text[-1 - count] == text[-1 - count - period]:
        count += 1
    return count
