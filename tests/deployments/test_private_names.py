"""Private names of other people's libraries are used in two rooms only, each with the version that was looked at."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("batching", "configs", "deployments", "documents", "pagemill", "retrieval")
ROOMS = ("deployments/library_internals/", "batching/machine/torch_internals.py")
UNDOCUMENTED = ("ray.experimental", "ray.serve.context", "ray.serve.scripts", "uvicorn.config", "uvicorn.protocols")
PUBLIC = {"_replace", "_fields", "_asdict", "_make", "_exit"}  # of named tuples and of `os`, all documented
CHECKED_WITH = re.compile(r"Checked with: ((?:[\w.]+ [\w.+]+(?:, )?)+)\n")
EXCEPTIONS = {
    ("documents/sandbox/spawn.py", "_transport"): "asyncio has no public way to close the pipes of a process",
    ("documents/office/packages/text_decoding.py", "_is_text_encoding"): "codecs has no public word for it",
}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for folder in OURS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text())


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def private_imports(tree: ast.Module) -> Iterator[str]:
    """Of a library, in a module of it or from one."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            library = name.split(".")[0]
            is_library = library not in OURS and library not in sys.stdlib_module_names and library != "_typeshed"
            if is_library and (is_private(name) or f"{name}.".startswith(tuple(f"{mod}." for mod in UNDOCUMENTED))):
                yield name


def private_attributes(tree: ast.Module) -> Iterator[str]:
    """All that are read or set, of whatever object, also by a constant name."""
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            argument = node.args[1]
            if node.func.id in ("getattr", "setattr", "hasattr", "delattr") and isinstance(argument, ast.Constant):
                name = str(argument.value)
        if name is not None and is_private(name):
            yield name


def own_names(tree: ast.Module) -> Iterator[str]:
    """Private names that this file gives to something: functions, classes, fields, and attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            yield node.attr if node.value.id in ("self", "cls") else ""


def uses_outside(files: dict[str, ast.Module]) -> list[tuple[str, str]]:
    """(file, name) of each private name that none of the files gives, outside the rooms for them."""
    own = {name for tree in files.values() for name in own_names(tree)} | PUBLIC
    return [
        (path, name)
        for path, tree in files.items()
        if not path.startswith(ROOMS)
        for name in (*private_imports(tree), *(name for name in private_attributes(tree) if name not in own))
    ]


def test_nobody_else_uses_a_private_name_of_a_library() -> None:
    files = dict(sources())
    assert len(files) > 400
    assert set(uses_outside(files)) == set(EXCEPTIONS)


@pytest.mark.parametrize(
    "line",
    [
        "from ray._private import services",
        "import ray._private.services",
        "from ray.serve.context import _get_global_client",
        "from ray.experimental.internal_kv import anything",
        "from uvicorn import config",
        "from torch.utils import _pytree",
        "torch.ops.aten._weight_int8pack_mm(rows)",
        "getattr(model, '_is_stateful', False)",
        "class Form(MultiPartParser):\n    def end(self): return self._current_part",
        "server._lowlevel_server = None",
    ],
)
def test_a_private_name_is_seen_however_it_is_reached(line: str) -> None:
    assert uses_outside({"deployments/new.py": ast.parse(line)})
    assert not uses_outside({"deployments/library_internals/new.py": ast.parse(line)})


def test_names_of_our_own_may_be_private() -> None:
    code = "import _thread\nclass A:\n    def __init__(self): self._a = 1\n    def b(self, other): return other._a"
    assert not uses_outside({"deployments/new.py": ast.parse(code)})


def test_each_file_of_the_rooms_says_which_version_was_looked_at() -> None:
    """Where this fails after an upgrade: look at the names of that file again, then write the new version there."""
    for path, tree in sources():
        if not path.startswith(ROOMS) or path.endswith("__init__.py"):
            continue
        checked = CHECKED_WITH.search(f"{ast.get_docstring(tree)}\n")
        assert checked, path
        for library, number in (words.split(" ") for words in checked[1].split(", ")):
            assert version(library).split("+")[0] == number, path
