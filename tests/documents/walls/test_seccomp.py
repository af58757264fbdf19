"""Behind the filter a process touches no other one and leaves nothing behind; each machine's filter is judged."""

from __future__ import annotations

import errno
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from documents.walls.seccomp import filter_for
from documents.walls.system_calls import allowed

ROOT = Path(__file__).parents[3]
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PID = 4711
FINE, REFUSED, ABSENT = "fine", errno.EPERM, errno.ENOSYS

TOUCHING = """
import ctypes, os, sys
from documents.walls.seccomp import forbid

assert forbid()
libc, victim = ctypes.CDLL(None, use_errno=True), int(sys.argv[1])
signal, limit, mask = (ctypes.c_int * 32)(9, 0, -1), (ctypes.c_ulong * 2)(7, 7), ctypes.c_ulong(1)
calls = {
    "rt_sigqueueinfo": (129, victim, 9, signal),
    "rt_tgsigqueueinfo": (297, victim, victim, 9, signal),
    "tgkill": (234, victim, victim, 9),
    "setpriority": (141, 0, victim, 15),
    "ioprio_set": (251, 1, victim, 3 << 13),
    "prlimit64": (302, victim, 7, limit, None),
    "sched_setaffinity": (203, victim, 8, ctypes.byref(mask)),
    "shmget": (29, 0, 1 << 20, 0o1600),
    "semget": (64, 0, 1, 0o1600),
    "msgget": (68, 0, 0o1600),
    "mq_open": (240, b"left_behind", 0o102, 0o600, None),
    "prctl": (157, 1, 0, 0, 0),
}
print(*(name for name, call in calls.items() if libc.syscall(*call) >= 0 or ctypes.get_errno() != 1))
libc.syscall(234, os.getpid(), os.getpid(), 6)  # as abort() does
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls by their numbers of x86-64")
def test_no_other_process_is_touched_and_nothing_is_left_behind():
    """Guards against a child that kills, slows or chokes others by a call that no list of forbidden ones names."""
    with subprocess.Popen(["sleep", "600"]) as victim:
        try:
            command = [sys.executable, "-c", TOUCHING, str(victim.pid)]
            done = subprocess.run(command, capture_output=True, check=False, env={"PYTHONPATH": str(ROOT)}, timeout=120)
            assert victim.poll() is None
        finally:
            victim.kill()
    assert done.stdout.split() == []
    assert done.returncode == -6, done.stderr


@pytest.mark.parametrize("machine", HEADERS)
def test_each_number_is_the_kernel_s(machine):
    """Guards against a number that allows another call than the one that is named."""
    if not HEADERS[machine].exists():
        pytest.skip("no headers of the kernel")
    defines = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[machine].read_text())
    numbers = {name: int(number) for name, number in defines} | ({"newfstatat": 79} if machine == "aarch64" else {})
    for call in allowed(PID, threads=True):
        number = getattr(call, machine)
        if number is None:
            assert machine == "aarch64"
            assert call.name not in numbers
        else:
            assert numbers[call.name] == number, call.name


@pytest.mark.parametrize("machine", HEADERS)
def test_arguments_are_judged(machine):
    """Guards against a call that is allowed for its own process and works on another."""
    calls = {call.name: getattr(call, machine) for call in allowed(PID, threads=True)}

    def judgement(name, *arguments, threads=False):
        return outcome(filter_for(machine, PID, threads=threads), machine, calls[name], arguments)

    assert judgement("openat", 0, 0, 0o2000000) == FINE
    assert {judgement("openat", 0, 0, flags) for flags in (1, 2, 0o100, 0o1000, 0o2000)} == {REFUSED}
    assert (judgement("tgkill", PID, 1, 6), judgement("tgkill", PID + 1, 1, 6), judgement("tgkill", 0, 1, 6)) == (
        FINE,
        REFUSED,
        REFUSED,
    )
    assert (judgement("prlimit64", 0, 7, 0), judgement("prlimit64", PID, 0, 0)) == (FINE, FINE)
    assert (judgement("prlimit64", 0, 0, 1 << 40), judgement("prlimit64", PID, 0, 1)) == (REFUSED, REFUSED)
    for name in ("mmap", "mprotect"):
        assert (judgement(name, 0, 4096, 3), judgement(name, 0, 4096, 5), judgement(name, 0, 4096, 7)) == (
            FINE,
            REFUSED,
            REFUSED,
        )
    assert (judgement("prlimit64", 0, 9, 1 << 40), judgement("prlimit64", 0, 9, 1)) == (REFUSED, REFUSED)
    assert (judgement("prlimit64", PID + 1, 0, 1), judgement("prlimit64", PID + 1, 7, 0)) == (REFUSED, REFUSED)
    assert (judgement("fcntl", 0, 3), judgement("fcntl", 0, 1030), judgement("fcntl", 0, 8)) == (FINE, FINE, REFUSED)
    assert (judgement("ioctl", 0, 0x5401), judgement("ioctl", 0, 0x5412)) == (FINE, REFUSED)
    assert (judgement("setitimer", 2), judgement("setitimer", 0), judgement("setitimer", 1)) == (FINE, REFUSED, REFUSED)
    assert judgement("clone", 0x3D0F00) == REFUSED
    assert (judgement("clone", 0x3D0F00, threads=True), judgement("clone", 17, threads=True)) == (FINE, REFUSED)
    assert judgement("clone", 0x3D0F00 | 0x10000000, threads=True) == REFUSED


@pytest.mark.parametrize("machine", HEADERS)
def test_what_is_not_named_fails(machine):
    """Guards against a call that is allowed because nobody thought of it."""
    program = filter_for(machine, PID)
    fine = {getattr(call, machine) for call in allowed(PID, threads=False)}
    for number in set(range(600)) - fine:
        assert outcome(program, machine, number) == (ABSENT if number >= 424 else REFUSED)
    assert outcome(program, machine, 0x40000000 + 1) == ABSENT
    assert outcome(program, "aarch64" if machine == "x86_64" else "x86_64", min(fine - {None})) == "killed"


def outcome(program, machine, number, arguments=()):
    """What the kernel would make of a call: the filter run by the rules of classic BPF."""
    arguments = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, ARCHITECTURES[machine], 0, *arguments)
    steps, place, value = list(struct.iter_unpack("HBBI", program)), 0, 0
    while True:
        code, yes, no, operand = steps[place]
        place += 1
        if code == 0x06:
            return {0x7FFF0000: FINE, 0x80000000: "killed"}.get(operand, operand & 0xFFFF)
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        else:
            place += yes if {0x15: value == operand, 0x35: value >= operand, 0x45: value & operand}[code] else no
