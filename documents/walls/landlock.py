"""After `confine`, this process opens no file but the program's own; those that it is handed open, it can read.

Nothing of `/proc` is among them: the kernel makes its entries anew at will, and a rule holds the old one.

Landlock is Linux's sandbox of paths without privileges (5.13 and newer). Numbers: `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_PR_SET_NO_NEW_PRIVS, _VERSION, _BENEATH = 38, 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_ALL = (1 << 13) - 1  # every right of the first version
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/fonts", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/urandom", "/sys/devices/system/cpu")


def confine() -> bool:
    """Open only the interpreter and the libraries from now on; False where the kernel has no such wall."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION)) < 1:
        return False
    rights = struct.pack("Q", _ALL)
    rules = libc.syscall(_CREATE, rights, ctypes.c_size_t(len(rights)), ctypes.c_uint(0))
    if rules < 0:
        return False
    try:
        for path in _readable():
            _allow(libc, rules, path)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
        return libc.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0)) == 0
    finally:
        os.close(rules)


def _readable() -> Iterable[Path]:
    package = Path(__file__).resolve().parents[1]  # not the folder above it: the server's data may lie there
    named = (*_SYSTEM, *_DEVICES, sys.prefix, sys.base_prefix)
    return {package, *(Path(name).resolve() for name in named)} - {
        Path("/"),
        Path("/usr"),
    } | _python()


def _python() -> set[Path]:
    """The standard library and its extensions, where they lie outside of the above (`/usr/lib/python3` on Debian)."""
    return {Path(place) for place in sys.path if Path(place).name in ("site-packages", "lib-dynload")}


def _allow(libc: ctypes.CDLL, rules: int, path: Path) -> None:
    with suppress(OSError):  # what is not there need not be read
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _READ_FILE | _READ_DIR if path.is_dir() else _READ_FILE
            rule = struct.pack("=Qi", rights, handle)
            libc.syscall(_ADD, ctypes.c_int(rules), ctypes.c_int(_BENEATH), rule, ctypes.c_uint(0))
        finally:
            os.close(handle)
