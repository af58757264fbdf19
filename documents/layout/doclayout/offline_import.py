"""Imports the layout network's package without network access or files in the home folder."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import socket
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

PACKAGE = "doclayout_yolo"
PLOT_MODULES = (
    "matplotlib",
    "matplotlib.font_manager",
    "matplotlib.pyplot",
)  # imported at the top of the package's files, for plots of a training


@contextmanager
def quiet_import() -> Iterator[None]:
    """Around the first import of a part of doclayout_yolo.

    The package probes public name servers (`doclayout_yolo.utils.is_online`) and writes its settings; albumentations,
    which it imports, asks for updates; matplotlib writes a list of fonts. Here probes of this thread are refused, other
    threads keep their sockets, and what is written goes to a folder that is dropped.

    Only the parts are loaded that the block names, and what they import: the package's own first file loads every model
    that it has, with pandas. Of matplotlib it gets an empty module. Both together are 70 MB, and half a second.
    """
    here, connect = threading.get_ident(), socket.create_connection

    def refuse(*args: Any, **kwargs: Any) -> socket.socket:
        if threading.get_ident() == here:
            raise OSError("no probing of the network at import")
        return connect(*args, **kwargs)

    os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"
    with tempfile.TemporaryDirectory(prefix="layout-import-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package's and its imports' own; none is ours to fix
        socket.create_connection = refuse
        try:
            with (
                _variable("YOLO_CONFIG_DIR", folder),
                _variable("MPLCONFIGDIR", os.environ.get("MPLCONFIGDIR", folder)),
                _modules({PACKAGE: _without_first_file(PACKAGE), **_empty(PLOT_MODULES)}),
            ):
                yield
        finally:
            socket.create_connection = connect


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set one environment variable; the others stay as other threads leave them."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


def _without_first_file(package: str) -> ModuleType:
    """The package with its folder and version, but without what its `__init__.py` imports."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__version__"] = importlib.metadata.version(package)
    return module


def _empty(names: Sequence[str]) -> dict[str, ModuleType]:
    """A package and its submodules, with nothing in them."""
    modules = {name: ModuleType(name) for name in names}
    for name, module in modules.items():
        package, _, part = name.rpartition(".")
        if package:
            setattr(modules[package], part, module)
    return modules


@contextmanager
def _modules(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """Let imports get these modules where they are not loaded yet; afterwards another import gets the real ones."""
    added = {name: module for name, module in modules.items() if sys.modules.setdefault(name, module) is module}
    try:
        yield
    finally:
        for name, module in added.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
