"""`scripts/check_words.py`: names and prose that a newcomer would read twice are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.check_words import problems


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "told = 1"),
        ("a.py", "def f(found): ..."),
        ("a.py", "[each for each in x]"),
        ("a.py", "def asked(): ..."),
        ("a.py", "x = 1  # three pages " + "a batch"),
        ("a.md", "How to me" + "nd it"),
    ],
)
def test_a_word_of_the_list_is_named_with_its_line(name: str, text: str) -> None:
    (problem,) = problems(Path(name), f"\n{text}\n")
    assert problem.startswith(f"{name}:2: ")
    assert " -> " in problem


@pytest.mark.parametrize(
    "text", ["regions = [r for r in page]", "x = f(found=1)", "# pages per batch", '"""`told` stays."""']
)
def test_plain_names_keywords_and_quotations_pass(text: str) -> None:
    assert not list(problems(Path("a.py"), text))
