"""The layout network's package is imported without a look at the network and without a file in anyone's home."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


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
    with tempfile.TemporaryDirectory(prefix="layout-import-") as folder:
        settings = {"YOLO_CONFIG_DIR": folder, "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", folder)}
        with (
            mock.patch.dict(os.environ, settings),
            mock.patch.object(socket, "create_connection", refuse),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # the package's and its imports' own; none is ours to mend
            yield
