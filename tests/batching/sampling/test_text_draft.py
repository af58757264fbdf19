"""Drafts of a text that something else has read: from where they go on, and when they end."""

import random

import pytest

from batching.sampling.text_draft import MAX_MISSES, Draft, TextDraft

PROMPT = [1, 2, 3]
LINE = "Continuous batching of a line of text that is long enough"


def ids(text):
    return [ord(letter) for letter in text]


def num_steps(drafted, text, probabilities=None):
    """Steps of a model that says `text`: each gives its next token, and all drafts up to the first wrong one."""
    drafter = TextDraft(Draft(tuple(ids(drafted)), tuple(probabilities or [1.0] * len(drafted))), len(PROMPT))
    output, steps = [], 0
    while len(output) < len(text):
        output.append(ord(text[len(output)]))
        proposed = drafter.propose([*PROMPT, *output], len(text) - len(output))
        assert len(proposed) <= len(text) - len(output)
        for token in proposed:
            if ord(text[len(output)]) != token:
                break
            output.append(token)
        steps += 1
    return steps


def test_a_draft_that_is_right_takes_one_step():
    """All of it is proposed behind the first token."""
    assert num_steps(LINE, LINE) == 1
    drafter = TextDraft(Draft(tuple(ids("line")), (1.0,) * 4), 3)
    assert drafter.propose([*PROMPT, ord("l")], 9) == ids("ine")


@pytest.mark.parametrize(
    "drafted",
    [
        LINE.replace("batching", "batchin"),
        LINE.replace("batching", "battching"),
        LINE.replace("batching", "botching"),
        LINE.replace("batching", "baching"),
        LINE.replace("of a line", "ofa line"),
        LINE.replace("of a line", "of alinee"),
        LINE[1:],
        "x" + LINE,
    ],
)
def test_a_difference_costs_few_steps(drafted):
    """A letter too few, too many, or another one: what follows is proposed again once it is clear where it stands."""
    assert 1 < num_steps(drafted, LINE) <= 5


def test_many_differences_cost_a_few_steps_each():
    """One letter in eight is wrong, at random: no draft loses its place for good."""
    chance = random.Random(5)
    for _ in range(50):
        text = "".join(chance.choice("abcdefghijklmnop ") for _ in range(60))
        drafted, num_wrong = "", 0
        for letter in text:
            wrong = chance.random() < 1 / 8
            num_wrong += wrong
            drafted += chance.choice(["", letter + "z", "z"]) if wrong else letter
        assert num_steps(drafted, text) <= 2 + 4 * num_wrong


def test_what_is_unlikely_is_not_proposed():
    """A step verifies what is likely right, all before it counted."""
    draft = Draft(tuple(ids("abcdef")), (0.9, 0.95, 0.95, 0.9, 0.9, 0.9))
    assert TextDraft(draft, 3).propose([*PROMPT, ord("a")], 9) == ids("bcd")
    assert TextDraft(draft, 3).propose([*PROMPT, ord("a")], 2) == ids("bc")
    assert TextDraft(Draft(tuple(ids("abc")), (0.9, 0.4, 0.9)), 3).propose([*PROMPT, ord("a")], 9) == []


def test_drafts_that_are_always_wrong_are_given_up():
    """A picture that the head cannot read costs a bounded number of rows."""
    drafter = TextDraft(Draft(tuple(ids("zyxwvutsrqponmlkjihgfedcba")), (1.0,) * 26), 3)
    output, num_proposals = [], 0
    for token in range(1000, 1020):
        output.append(token)
        num_proposals += bool(drafter.propose([*PROMPT, *output], 9))
    assert num_proposals == MAX_MISSES
    assert drafter.given_up


def test_a_draft_takes_up_an_output_that_began_without_it():
    """After a preemption the draft is made again, while the output stands."""
    drafter = TextDraft(Draft(tuple(ids(LINE)), (1.0,) * len(LINE)), len(PROMPT))
    assert drafter.propose([*PROMPT, *ids(LINE[:20])], 5) == ids(LINE[20:25])
