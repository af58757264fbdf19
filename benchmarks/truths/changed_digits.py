"""A digit of a text changed, and what a check makes of many such changes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from documents.text.digit_strings import digit_strings


@dataclass(slots=True)
class Outcome:
    """Counts of changes and of what was delivered where nothing was changed."""

    num_planted: int = 0
    num_caught: int = 0
    num_right: int = 0  # strings that are printed
    num_false_marks: int = 0  # of these
    num_wrong: int = 0  # strings that a reader made without our help
    num_wrong_unmarked: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            num_planted=self.num_planted + other.num_planted,
            num_caught=self.num_caught + other.num_caught,
            num_right=self.num_right + other.num_right,
            num_false_marks=self.num_false_marks + other.num_false_marks,
            num_wrong=self.num_wrong + other.num_wrong,
            num_wrong_unmarked=self.num_wrong_unmarked + other.num_wrong_unmarked,
        )

    def figures(self) -> dict[str, float]:
        """The counts, and the two shares that count."""
        return {
            "planted": self.num_planted,
            "caught": round(self.num_caught / max(1, self.num_planted), 4),
            "right": self.num_right,
            "false_marks": round(self.num_false_marks / max(1, self.num_right), 4),
            "wrong": self.num_wrong,
            "wrong_unmarked": self.num_wrong_unmarked,
        }


def changed(text: str, rng: random.Random) -> tuple[str, str]:
    """The text with another digit in one place, and the digit string that it makes there."""
    string = rng.choice(list(digit_strings(text)))
    k = rng.choice([k for k in range(string.start, string.end) if text[k].isdecimal()])
    digit = rng.choice([one for one in "0123456789" if one != text[k]])
    changed_text = text[:k] + digit + text[k + 1 :]
    return changed_text, next(digit_strings(changed_text[string.start : string.end])).value
