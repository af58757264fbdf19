"""Imports the layout network's package without network access or files in the home folder."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quiet_import() -> Iterator[None]:
    """Around the first import of doclayout_yolo.

    The package probes public name servers (`doclayout_yolo.utils.is_online`) and writes its settings; albumentations,
    which it imports, asks for updates; matplotlib writes a list of fonts. Here probes of this thread are refused, other
    threads keep their sockets, and what is written goes to a folder that is dropped.
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
