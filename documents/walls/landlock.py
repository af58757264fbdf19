"""Forbids a process to open files (Landlock).

Nothing of `/proc` is among them: the kernel makes its entries again at will, and a rule holds the old one.

Landlock is Linux's sandbox of paths without privileges (5.13 and newer). Numbers: `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

_CALL_CREATE = 444  # numbers of system calls
_CALL_ADD = 445
_CALL_RESTRICT = 446
_PR_SET_NO_NEW_PRIVS = 38
_VERSION_FLAG = 1
_PATH_RULE = 1
ACCESS_EXECUTE = 1 << 0
ACCESS_WRITE = 1 << 1
ACCESS_READ = 1 << 2 | 1 << 3  # files and folders
ACCESS_SOCKET = 1 << 9  # making a named local socket
ACCESS_TRUNCATE = 1 << 14  # since the third version; an older kernel lets a file be truncated that may be read or named
ACCESS_ALL = (1 << 13) - 1 | ACCESS_TRUNCATE  # every right of the first version, and truncation
ACCESS_FILES = ACCESS_EXECUTE | ACCESS_WRITE | 1 << 2 | ACCESS_TRUNCATE
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/fonts", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/urandom", "/sys/devices/system/cpu")


def confine() -> bool:
    """Open only the interpreter and the libraries from now on; False where the kernel has no such wall."""
    return restrict(dict.fromkeys(_readable(), ACCESS_READ))


def restrict(paths: Mapping[Path, int]) -> bool:
    """Use only these paths, and what is beneath them, by their rights; False where the kernel has no such wall."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CALL_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION_FLAG))
    if version < 1:
        return False
    handled = ACCESS_ALL if version >= 3 else ACCESS_ALL & ~ACCESS_TRUNCATE
    attributes = struct.pack("Q", handled)
    rules = libc.syscall(_CALL_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if rules < 0:
        return False
    try:
        for path, rights_there in paths.items():
            _allow(libc, rules, path, rights_there & handled)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
        return libc.syscall(_CALL_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0)) == 0
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


def _allow(libc: ctypes.CDLL, rules: int, path: Path, rights: int) -> None:
    with suppress(OSError):  # what is not there need not be read
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = struct.pack("=Qi", rights if path.is_dir() else rights & ACCESS_FILES, handle)
            libc.syscall(_CALL_ADD, ctypes.c_int(rules), ctypes.c_int(_PATH_RULE), rule, ctypes.c_uint(0))
        finally:
            os.close(handle)
