"""`scripts/check_rules.py`: no rule and no number of one goes without a trial."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.harness.rule_variants import RuleSet, fingerprint_of_values, numbers
from documents.draft.rule import Rule
from scripts.check_rules import problems_of


@dataclass(frozen=True)
class Limits:
    """Two numbers of a rule."""

    unread: int = 3
    min_size: float = 9.0


RESTS = Rule(name="rests", purpose="-", step=lambda page, _: page)
SIZED = replace(RESTS, name="sized", thresholds=Limits())


def rules_with(*rules):
    return RuleSet({"drafts": rules}, None)


def tried(rule_set):
    return {
        "fingerprints": {"values": fingerprint_of_values(rule_set)},
        "rows": [
            {"rule": rule.name, "number": path, "value": value} if path else {"rule": rule.name}
            for rule in rule_set
            for path, value in (("", None), *numbers(rule.thresholds))
        ],
    }


def test_a_rule_or_number_that_was_not_on_trial_fails_the_check():
    """Guards against results of other rules: they were 135 commits old, and 11 rules of 40 were not in them."""
    old, new = rules_with(RESTS), rules_with(RESTS, SIZED)
    assert list(problems_of(tried(new), new)) == []
    problems = "\n".join(problems_of(tried(old), new))
    assert "sized was never on trial" in problems
    assert "sized.min_size was never on trial" in problems
    assert "sized.unread is on trial and no rule or number any more" in "\n".join(problems_of(tried(new), old))
    other = rules_with(RESTS, replace(SIZED, thresholds=Limits(unread=4)))
    assert "sized.unread is 4 and was on trial as 3" in "\n".join(problems_of(tried(new), other))
    assert list(problems_of(tried(rules_with(SIZED, RESTS)), rules_with(RESTS, SIZED)))  # in another order
