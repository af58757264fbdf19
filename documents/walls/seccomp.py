"""Forbids system calls with a seccomp filter.

A filter in the kernel (seccomp, classic BPF). What is not allowed fails with EPERM, so a parser that asks for it fails
like one that lacks a right; from FIRST_COMMON_CALL on it fails with ENOSYS, as on an older kernel, and libc takes
another call.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Sequence
from typing import NamedTuple

from documents.walls.system_calls import Call, Check, allowed

_PR_SET_NO_NEW_PRIVS = 38
_FILTER_MODE = 1
_ALL_THREADS = 1
_BPF_LOAD = 0x20  # codes of BPF instructions
_BPF_EQUAL = 0x15
_BPF_GREATER_EQUAL = 0x35
_BPF_ANY_BIT = 0x45
_BPF_RETURN = 0x06
_ACTION_ALLOW = 0x7FFF0000
_ACTION_KILL = 0x80000000
_ACTION_ERROR = 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
AF_UNIX = 1
STREAMS = (0x1, 0x801, 0x80001, 0x80801)  # SOCK_STREAM, with or without SOCK_NONBLOCK and SOCK_CLOEXEC
X32_BIT = 0x40000000  # from this number on, the calls of x86-64 have a second number each
# the first number that is the same on every machine: clone3, openat2, io_uring, pidfd_* follow it
FIRST_COMMON_CALL = 424

Step = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


class _Machine(NamedTuple):
    architecture: int  # AUDIT_ARCH_*
    seccomp: int  # the number of that call
    socket: int  # and of that one
    tgkill: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 317, 41, 234), "aarch64": _Machine(0xC00000B7, 277, 198, 131)}


def forbid(*, threads: bool = False, libraries: bool = False) -> bool:
    """Put the filter in place for good; False where this machine or kernel has none for us.

    Without `threads` no thread can be started any more, without `libraries` no code loaded or made.
    """
    machine = platform.machine()
    if machine not in _MACHINES:
        return False
    return _installed(machine, filter_for(machine, os.getpid(), threads=threads, libraries=libraries))


def refuse(numbers: Sequence[int]) -> bool:
    """Refuse these calls, sockets that are not local streams, and signals to any but this process, to it and whatever
    it becomes or starts.

    False where there is no filter for us.
    """
    machine = platform.machine()
    return machine in _MACHINES and _installed(machine, refusing_filter(machine, numbers, os.getpid()))


def refusing_filter(machine: str, numbers: Sequence[int], pid: int) -> bytes:
    """The filter that lets all calls through but these, those of x86-64's second set of numbers, and tgkill of others.

    Process `pid` may send itself signals: so abort() ends it.
    """
    steps = [
        _load(_ARCHITECTURE),
        (_BPF_EQUAL, 1, 0, _MACHINES[machine].architecture),
        (_BPF_RETURN, 0, 0, _ACTION_KILL),
    ]
    steps += [_load(_NUMBER), (_BPF_GREATER_EQUAL, 0, 1, X32_BIT), _fails(errno.EPERM)]
    for number in numbers:
        steps += [(_BPF_EQUAL, 0, 1, number), _fails(errno.EPERM)]
    local = _judged(Call("socket", None, None, ((Check(0, values=(AF_UNIX,)), Check(2, values=STREAMS)),)))
    steps += [(_BPF_EQUAL, 0, len(local), _MACHINES[machine].socket), *local]
    own = _judged(Call("tgkill", None, None, ((Check(0, values=(pid,)),),)))
    steps += [(_BPF_EQUAL, 0, len(own), _MACHINES[machine].tgkill), *own]
    steps.append((_BPF_RETURN, 0, 0, _ACTION_ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _installed(machine: str, code: bytes) -> bool:
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))):
        return False
    number = ctypes.c_ulong(_MACHINES[machine].seccomp)
    return libc.syscall(number, ctypes.c_uint(_FILTER_MODE), ctypes.c_uint(_ALL_THREADS), program) == 0


def filter_for(machine: str, pid: int, *, threads: bool = False, libraries: bool = False) -> bytes:
    """The filter for process `pid`, eight bytes an instruction: code, jump if true, jump if false, operand."""
    steps = [
        _load(_ARCHITECTURE),
        (_BPF_EQUAL, 1, 0, _MACHINES[machine].architecture),
        (_BPF_RETURN, 0, 0, _ACTION_KILL),
    ]
    steps.append(_load(_NUMBER))
    for call in allowed(pid, threads=threads, libraries=libraries):
        number: int | None = getattr(call, machine)
        if number is not None:
            body = _judged(call)
            steps += [(_BPF_EQUAL, 0, len(body), number), *body]
    steps += [(_BPF_GREATER_EQUAL, 0, 1, FIRST_COMMON_CALL), _fails(errno.ENOSYS), _fails(errno.EPERM)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _judged(call: Call) -> list[Step]:
    """What follows once the number fits: the first alternative whose checks all hold allows the call."""
    if not call.when:
        return [(_BPF_RETURN, 0, 0, _ACTION_ALLOW)]
    steps: list[Step] = []
    for checks in call.when:
        rest: list[Step] = [(_BPF_RETURN, 0, 0, _ACTION_ALLOW)]
        for check in reversed(checks):
            rest = _checked(check, len(rest)) + rest
        steps += rest
    return [*steps, _fails(errno.EPERM)]


def _checked(check: Check, rest: int) -> list[Step]:
    """Goes on with the next step if the check holds, else leaves out `rest` further ones."""
    load = _load(_ARGUMENTS + 4 * check.half)  # these machines are little-endian: the lower half comes first
    if check.bits:
        return [load, (_BPF_ANY_BIT, 0, rest, check.bits)]
    if check.no_bits:
        return [load, (_BPF_ANY_BIT, rest, 0, check.no_bits)]
    last = len(check.values) - 1
    return [load, *((_BPF_EQUAL, last - k, 0 if k < last else rest, value) for k, value in enumerate(check.values))]


def _load(offset: int) -> Step:
    return (_BPF_LOAD, 0, 0, offset)


def _fails(error: int) -> Step:
    return (_BPF_RETURN, 0, 0, _ACTION_ERROR | error)
