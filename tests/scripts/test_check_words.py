"""`scripts/check_words.py`: names and prose that a newcomer would read twice are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.check_words import problems, vocabulary


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


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("NEAR = 0.3", "NEAR"),
        ("_KEPT: int = 3", "_KEPT"),
        ("MAX = 3", "MAX"),
        ("LONG = 40", "LONG"),
        ("class A:\n    TOLD = 1", "TOLD"),
        ("for at, line in enumerate(lines): ...", "at"),
        ("x = [at for at in range(3)]", "at"),
        ("def f(self, a, b):\n    self._a, self._b = a, b", "self._a"),
    ],
)
def test_a_name_that_is_no_thing_is_named_in_the_packages_alone(text: str, word: str) -> None:
    (problem,) = problems(Path("documents/a.py"), text)
    assert f": {word}" in problem
    assert not list(problems(Path("benchmarks/a.py"), text))


@pytest.mark.parametrize(
    "text",
    [
        "MAX_GAP = 0.3",
        "PLAIN_TEXT = 1",
        "class End(Enum):\n    LOST = 1",
        "for at in places: ...",
        "self.a, self.b = box.T",
        "def f():\n    NEAR = 1",
    ],
)
def test_limits_things_members_and_places_pass(text: str) -> None:
    assert not list(problems(Path("documents/a.py"), text))


def test_the_vocabulary_is_sorted_and_no_word_is_in_both_parts() -> None:
    nouns, modifiers = vocabulary()
    assert not nouns & modifiers
    assert not (nouns | modifiers) & {
        "LEAST",
        "MOST",
        "NEAR",
        "ALIKE",
        "BESIDE",
        "KEPT",
        "TOLD",
        "UNSEEN",
        "NEVER",
        "FROM",
    }
    lines = (Path(__file__).parents[2] / "scripts" / "constant_words.txt").read_text(encoding="utf-8").splitlines()
    for words in "\n".join(line for line in lines if not line.startswith("#")).split("[modifiers]"):
        listed = words.replace("[nouns]", "").split()
        assert listed == sorted(set(listed))
