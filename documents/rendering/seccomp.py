"""After `forbid`, no thread of this process can open a socket, change a file, start a program or touch another process.

A filter of system calls in the kernel (seccomp, classic BPF); what is forbidden fails with EPERM, so a parser that asks
for it fails like one that lacks a right. Numbers: the kernel's `asm/unistd.h` of each architecture.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from typing import NamedTuple

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_CLONE_THREAD = 0x00010000
_CHANGES = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND
_FOREIGN = 0x40000000  # numbers of the x32 calls


class _Machine(NamedTuple):
    architecture: int  # AUDIT_ARCH_*
    forbidden: tuple[int, ...]
    absent: tuple[int, ...]  # told as ENOSYS, so that libc takes an older call whose arguments can be judged
    clone: int
    opens: tuple[tuple[int, int], ...]  # number, index of the argument that holds the flags


_MACHINES = {
    "x86_64": _Machine(
        architecture=0xC000003E,
        forbidden=(
            *(41, 42, 43, 44, 46, 49, 50, 53, 288, 307),  # socket, connect, accept, send*, bind, listen, socketpair
            *(57, 58, 59, 322),  # fork, vfork, execve, execveat
            *(62, 101, 200, 310, 311, 424, 434, 438),  # kill, ptrace, tkill, process_vm_*, pidfd_*
            *(82, 83, 84, 85, 86, 87, 88, 264, 258, 263, 265, 266, 316),  # rename, mkdir, rmdir, creat, link, unlink
            *(90, 91, 92, 93, 94, 260, 268, 452),  # chmod, chown
            *(76, 77, 132, 133, 235, 259, 261, 280, 285),  # truncate, utime, mknod, fallocate
            *(188, 189, 190, 197, 198, 199),  # setxattr, removexattr
            *(155, 161, 165, 166, 272, 308, 428, 429, 430, 432, 442),  # pivot_root, chroot, mount, unshare, setns
            *(
                175,
                176,
                246,
                248,
                249,
                250,
                298,
                313,
                319,
                320,
                321,
                323,
            ),  # modules, keys, perf, memfd, bpf, userfaultfd
        ),
        absent=(425, 426, 427, 435, 437),  # io_uring, clone3, openat2
        clone=56,
        opens=((2, 1), (257, 2)),
    ),
    "aarch64": _Machine(
        architecture=0xC00000B7,
        forbidden=(
            *(198, 199, 200, 201, 202, 203, 206, 211, 242, 269),
            *(221, 281),
            *(117, 129, 130, 270, 271, 424, 434, 438),
            *(33, 34, 35, 36, 37, 38, 276),
            *(52, 53, 54, 55, 452),
            *(45, 46, 47, 88),
            *(5, 6, 7, 14, 15, 16),
            *(39, 40, 41, 51, 97, 268, 428, 429, 430, 432, 442),
            *(104, 105, 106, 217, 218, 219, 241, 273, 279, 280, 282, 294),
        ),
        absent=(425, 426, 427, 435, 437),
        clone=220,
        opens=((56, 2),),
    ),
}


def forbid() -> bool:
    """Put the filter in place for good; False where this machine or kernel has none for us."""
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return False
    code = _program(machine)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_ulong
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, number(1), number(0), number(0), number(0)):
        return False
    return not libc.prctl(_PR_SET_SECCOMP, number(_MODE_FILTER), program, number(0), number(0))


def _program(machine: _Machine) -> bytes:
    """The filter, eight bytes an instruction: code, jump if true, jump if false, operand."""
    steps = [_load(_ARCHITECTURE), (_EQUAL, 1, 0, machine.architecture), (_RETURN, 0, 0, _KILL), _load(_NUMBER)]
    steps += [(_AT_LEAST, 0, 1, _FOREIGN), _fails(errno.ENOSYS)]
    for number in machine.absent:
        steps += [(_EQUAL, 0, 1, number), _fails(errno.ENOSYS)]
    for number in machine.forbidden:
        steps += [(_EQUAL, 0, 1, number), _fails(errno.EPERM)]
    steps += [(_EQUAL, 0, 4, machine.clone), _argument(0), (_ANY_BIT, 1, 0, _CLONE_THREAD), _fails(errno.EPERM)]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    for number, index in machine.opens:
        steps += [(_EQUAL, 0, 4, number), _argument(index), (_ANY_BIT, 0, 1, _CHANGES), _fails(errno.EPERM)]
        steps += [(_RETURN, 0, 0, _ALLOW)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _load(offset: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, offset)


def _argument(index: int) -> tuple[int, int, int, int]:
    """The lower half of an argument: flags fit into it on these little-endian machines."""
    return _load(_ARGUMENTS + 8 * index)


def _fails(error: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _FAIL | error)
