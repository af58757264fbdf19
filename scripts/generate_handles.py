"""Generates `deployments/calls/handles.py` from the deployments: `python -m scripts.generate_handles [--check]`.

A handle has the public coroutine methods of its deployment, with the same parameters, defaults and results; what
yields is a method of the handle's streams. Classes are read and not imported, so no deployment need be loadable.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scripts.generated_file import ROOT, formatted, written_or_checked

SOURCES = "deployments/*/deployment.py"
TARGET = ROOT / "deployments" / "calls" / "handles.py"
SERVE_METHODS = frozenset({"check_health"})  # methods that Serve calls, and no handle
FORWARDABLE = "Forwardable"  # of `remote_method`: marks a parameter that takes an unawaited response, too
HEAD = '''"""Types of the calls between deployments, generated from their classes by `make generate`; do not edit.

A method has the parameters, defaults and result of the deployment's own; a `Forwardable` parameter takes an unawaited
response, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from deployments.calls.remote_method import remote_method, streaming_method

if TYPE_CHECKING:  # a caller by handle loads nothing of the callee's
'''
SIDE_IMPORTS = {
    "AsyncIterator": ("collections.abc", "AsyncIterator"),
    "Literal": ("typing", "Literal"),
    "Response": ("deployments.calls.remote_method", "Response"),
}  # of names that only a handle writes


class UnreadableDeployment(Exception):
    """A class from which no handle can be written without running it."""


class Import(NamedTuple):
    """Where a name is defined: `import module as name` where `original` is None, else `from module import original`."""

    module: str
    original: str | None

    def statement(self, name: str) -> str:
        if self.original is None:
            return f"import {self.module}" + ("" if name == self.module else f" as {name}")
        return f"from {self.module} import {self.original}" + ("" if name == self.original else f" as {name}")


@dataclass(frozen=True, slots=True)
class Method:
    """One method as its handle declares it; `module` is where the names of its annotations are known."""

    module: str
    declaration: ast.FunctionDef
    streams: bool
    names: frozenset[str]  # that stand in its annotations


def generated(root: Path = ROOT) -> str:
    """The module of all handles, as it should be."""
    imports: dict[str, Import] = {}
    bodies: list[str] = []
    for file in sorted(root.glob(SOURCES)):
        tree = _parsed(file)
        for deployment in tree.body:
            module = _module_name(file, root)
            if isinstance(deployment, ast.ClassDef) and (methods := list(_methods(deployment, module, root))):
                bodies += _handle(deployment.name, module, methods)
                for method in methods:
                    _collect(imports, _imports_of(method, root), deployment.name)
    lines = [f"    {source.statement(name)}\n" for name, source in sorted(imports.items())]
    return formatted(HEAD + "".join(lines) + "\n\n" + "\n\n".join(bodies), TARGET)


def _methods(deployment: ast.ClassDef, module: str, root: Path) -> Iterator[Method]:
    for statement in deployment.body:
        match statement:
            case ast.AsyncFunctionDef(name=name):
                method = _declared(statement, module)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name("method_of"), args=[_, of])):
                method = _delegated(of, module, root)
            case _:
                continue
        if name.startswith("_") or name in SERVE_METHODS:
            continue
        if deployment.bases:
            raise UnreadableDeployment(f"{deployment.name} has a base class, whose methods this script does not read")
        yield method


def _delegated(of: ast.expr, module: str, root: Path) -> Method:
    """The method of a part, `Class.method`, that a deployment hands on as its own."""
    match of:
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            source = _definition(module, owner, root)
            assert source is not None
            file = _file_of(source.module, root)
            assert file is not None
            for part in _parsed(file).body:
                if isinstance(part, ast.ClassDef) and part.name == source.original:
                    for function in part.body:
                        if isinstance(function, ast.AsyncFunctionDef) and function.name == name:
                            return _declared(function, source.module)
    raise UnreadableDeployment(f"{module}: `{ast.unparse(of)}` is no method of a class of ours")


def _declared(function: ast.AsyncFunctionDef, module: str) -> Method:
    """The method without its body, its `async`, and the defaults that are no literals."""
    streams = any(isinstance(node, ast.Yield) for node in _own_nodes(function))
    arguments = function.args
    arguments.defaults = [_literal(default) for default in arguments.defaults]
    arguments.kw_defaults = [default and _literal(default) for default in arguments.kw_defaults]
    declaration = ast.FunctionDef(
        name=function.name,
        args=arguments,
        body=[ast.Expr(ast.Constant(...))],
        decorator_list=[ast.Name("streaming_method" if streams else "remote_method")],
        returns=_iterator(function) if streams else function.returns,
    )
    declaration = _ForwardableArguments().visit(declaration)
    annotations = [
        declaration.returns,
        *(node.annotation for node in ast.walk(declaration) if isinstance(node, ast.arg)),
    ]
    names = {node.id for part in annotations if part for node in ast.walk(part) if isinstance(node, ast.Name)}
    return Method(module, ast.fix_missing_locations(declaration), streams, frozenset(names))


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, and not in one that it defines."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from _own_nodes(node)


def _literal(default: ast.expr) -> ast.expr:
    """A name would have to be imported when the handles are; that there is a default is all a caller needs."""
    try:
        ast.literal_eval(default)
    except ValueError:
        return ast.Constant(...)
    return default


def _iterator(function: ast.AsyncFunctionDef) -> ast.expr:
    """`AsyncIterator[T]` for `AsyncGenerator[T, None]`."""
    match function.returns:
        case ast.Subscript(slice=ast.Tuple(elts=[item, _]) | item):
            return ast.Subscript(ast.Name("AsyncIterator"), item)
    raise UnreadableDeployment(f"`{function.name}` yields, and its result says not what")


class _ForwardableArguments(ast.NodeTransformer):
    """`T | Response[T]` for `Forwardable[T]`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if not (isinstance(node.value, ast.Name) and node.value.id == FORWARDABLE):
            return node
        return ast.BinOp(node.slice, ast.BitOr(), ast.Subscript(ast.Name("Response"), node.slice))


def _handle(name: str, module: str, methods: list[Method]) -> Iterator[str]:
    """The protocol of the handle, after the one of its streams where it has any."""
    streamed = [method for method in methods if method.streams]
    if streamed:
        yield _protocol(f"{name}Streams", f"What {name} streams.", streamed)
    text = _protocol(f"{name}Handle", f"See `{module}.{name}`.", [one for one in methods if not one.streams])
    if streamed:
        text += f"\n    def options(self, *, stream: Literal[True]) -> {name}Streams: ...\n"
    yield text


def _protocol(name: str, docstring: str, methods: Iterable[Method]) -> str:
    declarations = [ast.unparse(method.declaration).replace("\n", "\n    ") for method in methods]
    return "\n\n    ".join([f'class {name}(Protocol):\n    """{docstring}"""', *declarations]) + "\n"


def _imports_of(method: Method, root: Path) -> dict[str, Import]:
    """Where the names of a method's annotations are defined; those of no import and no definition are Python's."""
    names = method.names | ({"Literal"} if method.streams else set())
    sources = {name: SIDE_IMPORTS.get(name) or _definition(method.module, name, root) for name in names}
    return {name: Import(*source) for name, source in sources.items() if source is not None}


def _definition(module: str, name: str, root: Path) -> Import | None:
    """The module of ours that defines the name, through whatever others it comes; None: it is one of Python's own."""
    file = _file_of(module, root)
    if file is None:  # of a library
        return Import(module, name)
    tree = _parsed(file)
    for statement in _imports(tree):
        for alias in statement.names:
            if (alias.asname or alias.name) != name:
                continue
            if isinstance(statement, ast.Import):
                return Import(alias.name, None)
            assert statement.module is not None  # imports are absolute here
            return _definition(statement.module, alias.name, root)
    return Import(module, name) if name in _defined(tree) else None


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those of the module, and those for type checkers alone."""
    blocks = [tree.body, *(part.body for part in tree.body if isinstance(part, ast.If))]
    for statement in (part for block in blocks for part in block):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement


def _defined(tree: ast.Module) -> Iterator[str]:
    for part in tree.body:
        match part:
            case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def _collect(imports: dict[str, Import], more: dict[str, Import], deployment: str) -> None:
    for name, source in more.items():
        if imports.setdefault(name, source) != source:
            raise UnreadableDeployment(
                f"{deployment}: `{name}` of {source.module} is {imports[name].module}'s elsewhere"
            )


def _module_name(file: Path, root: Path) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts)


def _file_of(module: str, root: Path) -> Path | None:
    """None: it is a library's."""
    path = root.joinpath(*module.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(written_or_checked(TARGET, generated(), sys.argv[1:]))
