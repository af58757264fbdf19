"""Checks names and prose for words that the style forbids: `python scripts/check_words.py [PATHS]`.

Names are what Python code binds: variables, parameters, functions. Prose is what a person reads: docs, docstrings,
comments, messages. Quotations (text in backticks) and `tests/data` are left alone.

In PACKAGES, a constant also begins with a word of `constant_words.txt`, an index is not called `at`, and a constructor
sets one attribute per line.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("batching", "configs", "deployments", "documents", "pagemill", "retrieval")
VOCABULARY = Path(__file__).with_name("constant_words.txt")
CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]+")
NAMES = {
    "told": "response, attributes, result: what it is",
    "found": "the noun: regions, lines, rows",
    "asked": "request, options, question",
    "given": "payload, fields, values",
    "said": "output, message",
    "seen": "visited, page, keys",
    "came": "headers, arrivals",
    "wanted": "expected, target",
    "got": "actual, result",
    "each": "the noun: region, line, row",
    "porter": "admission",
    "glimpse": "partial_result",
    "glimpses": "partial_results",
}
PER = (
    r"\b(pages?|tokens?|words|lines|calls|requests|seconds|bytes|blocks|rows|regions|documents|jobs|chunks|steps|files|characters"
    r"|MB|MiB|GB|ms|strips|pictures|vectors|sequences) an? "
    r"(page|batch|second|step|document|region|job|line|request|token|minute|hour|day|row|tenant|replica|core|strip|scan|sequence"
    r"|client|word|layer|column|cell)\b"
)
PROSE = {
    PER: "per",
    r"\bunless told\b": "default",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bin (its|their|our) hands?\b": "say what holds it",
    r"\bat the door\b": "before the upload is stored",
    r"\bthe house\b": "the repository, the code",
    r"\bsigns? of life\b": "keep-alive",
    r"\bfarewells?\b": "background tasks",
    r"\banew\b": "again",
    r"\bat leisure\b": "on an idle machine",
    r"\bfore(told|tells?)\b": "predicted, predicts",
    r"\bbroke off\b": "was interrupted, failed",
    r"\bunless said\b": "unless stated, default",
    r"\b(by reckoning|reckoned)\b": "calculated",
    r"\bw(as|ere) at hand\b": "was available",
    r"\bhow far it is\b": "its progress",
    r"\b(is|are) (said|told) once\b": "is reported once, is listed once",
    r"\btid(y|ied) up\b": "compact",
    r"\bas often as wanted\b": "any number of times",
}
SUFFIXES = (".py", ".md", ".yaml", ".toml", ".js", ".html", ".cpp", ".h")


def main(arguments: list[str]) -> int:
    wrong = [line for path in _files(arguments) for line in problems(path, path.read_text(encoding="utf-8"))]
    print("\n".join(wrong) or "words: all plain")
    return bool(wrong)


def problems(path: Path, text: str) -> Iterator[str]:
    """`file:line: word -> better` for each name and phrase of `text` that the lists hold."""
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    if path.suffix == ".py":
        tree = ast.parse(text)
        for line, name in sorted(set(_bindings(tree))):
            if name in NAMES:
                yield f"{place}:{line}: {name} -> {NAMES[name]}"
        if place.parts[0] in PACKAGES:
            for line, problem in sorted({*_constant_problems(tree), *_index_problems(tree), *_tuple_problems(tree)}):
                yield f"{place}:{line}: {problem}"
    for number, line in enumerate(text.splitlines(), 1):
        prose = re.sub(r"`[^`]*`", "", line)
        for phrase, better in PROSE.items():
            if match := re.search(phrase, prose):
                yield f"{place}:{number}: {match[0]} -> {better}"


def _bindings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of every variable, parameter and function that `tree` binds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def _constant_problems(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and problem of every constant whose first word is not in the vocabulary, or lacks the noun behind it."""
    nouns, modifiers = vocabulary()
    for line, name in _constants(tree.body):
        first, *others = name.strip("_").split("_")
        if first in modifiers and not others:
            yield line, f"{name} -> {first}_ and the thing that it limits or describes"
        elif first not in nouns | modifiers:
            yield line, f"{name} -> MAX_x, MIN_x, or the name of a thing ({VOCABULARY.name} lists first words)"


def vocabulary() -> tuple[frozenset[str], frozenset[str]]:
    """The words that may stand alone, and those that need a noun behind them."""
    parts: dict[str, set[str]] = {"nouns": set(), "modifiers": set()}
    words = parts["nouns"]
    for line in VOCABULARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = parts[line.strip("[]")]
        elif not line.startswith("#"):
            words.update(line.split())
    return frozenset(parts["nouns"]), frozenset(parts["modifiers"])


def _constants(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str]]:
    """Line and name of every constant of a module and its classes; the members of an enumeration are values."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            if not any(ast.unparse(base).endswith("Enum") for base in node.bases):
                yield from _constants(node.body)
        elif isinstance(node, ast.If | ast.Try):
            yield from _constants([*node.body, *node.orelse])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from ((line, name) for line, name in _bindings(node) if CONSTANT.fullmatch(name))


def _index_problems(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The loops over `enumerate` or `range` whose index is called `at`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Call):
            is_counted = ast.unparse(node.iter.func) in ("enumerate", "range")
            if is_counted and "at" in {name for _, name in _bindings(node.target)}:
                yield node.target.lineno, "at -> index"


def _tuple_problems(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The assignments of several values to several attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            for target in node.targets:
                names = [ast.unparse(one) for one in target.elts] if isinstance(target, ast.Tuple) else []
                if names and all(re.fullmatch(r"self\.\w+", name) for name in names):
                    yield node.lineno, f"{', '.join(names)} -> one statement per line"


def _files(arguments: list[str]) -> Iterator[Path]:
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *arguments]
    for name in subprocess.run(git, check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines():
        path = ROOT / name
        if path.suffix in SUFFIXES and path.is_file() and path != Path(__file__) and "data" not in path.parts:
            yield path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
