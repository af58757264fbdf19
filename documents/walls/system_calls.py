"""Which system calls a sandboxed process may make.

Numbers: the kernel's `asm/unistd_64.h` of x86-64 and `asm-generic/unistd.h` of arm64; None where there is no such call.
"""

from __future__ import annotations

from typing import NamedTuple

WRITE_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND
THREAD_FLAG = 0x00010000  # CLONE_THREAD
NAMESPACE_FLAGS = 0x7E020080  # CLONE_NEW*
SAFE_FCNTL = (0, 1, 2, 3, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
SAFE_IOCTL = (0x5401, 0x802C542A, 0x5451)  # TCGETS, TCGETS2 (is it a terminal?), FIOCLEX
PROT_EXEC = 0x4
ITIMER_PROF = 2  # the timer of processor time, by which one step of many can be interrupted


class Check(NamedTuple):
    """What half an argument must be; `half` counts 32-bit words, the lower one of argument n is 2 n.

    A lower half tells all where the kernel takes an int.
    """

    half: int
    values: tuple[int, ...] = ()  # one of these; or
    bits: int = 0  # any of these set; or
    no_bits: int = 0  # none of these


class Call(NamedTuple):
    """One call; `when` are alternatives of checks that must all hold, empty for a call that is always allowed."""

    name: str
    x86_64: int | None
    aarch64: int | None
    when: tuple[tuple[Check, ...], ...] = ()


MEMORY = (
    Call("brk", 12, 214),
    Call("munmap", 11, 215),
    Call("mremap", 25, 216),
    Call("madvise", 28, 233),
)
FILES = (
    Call("read", 0, 63),
    Call("readv", 19, 65),
    Call("pread64", 17, 67),
    Call("preadv", 295, 69),
    Call("write", 1, 64),
    Call("writev", 20, 66),
    Call("close", 3, 57),
    Call("lseek", 8, 62),
    Call("stat", 4, None),
    Call("fstat", 5, 80),
    Call("lstat", 6, None),
    Call("newfstatat", 262, 79),
    Call("statx", 332, 291),
    Call("access", 21, None),
    Call("faccessat", 269, 48),
    Call("readlink", 89, None),
    Call("readlinkat", 267, 78),
    Call("getdents64", 217, 61),
    Call("getcwd", 79, 17),
    Call("dup", 32, 23),
    Call("poll", 7, None),
    Call("ppoll", 271, 73),
    Call("recvmsg", 47, 212),  # on the one socket that the process was given: files come over it
    Call("open", 2, None, ((Check(2, no_bits=WRITE_FLAGS),),)),
    Call("openat", 257, 56, ((Check(4, no_bits=WRITE_FLAGS),),)),
    Call("fcntl", 72, 25, ((Check(2, values=SAFE_FCNTL),),)),
    Call("ioctl", 16, 29, ((Check(2, values=SAFE_IOCTL),),)),
)
CLOCKS = (
    Call("clock_gettime", 228, 113),
    Call("clock_getres", 229, 114),
    Call("clock_nanosleep", 230, 115),
    Call("nanosleep", 35, 101),
    Call("gettimeofday", 96, 169),
    Call("time", 201, None),
    Call("times", 100, 153),
    Call("setitimer", 38, 103, ((Check(0, values=(ITIMER_PROF,)),),)),
)
PROCESS_CALLS = (
    Call("exit", 60, 93),
    Call("exit_group", 231, 94),
    Call("getpid", 39, 172),
    Call("getppid", 110, 173),
    Call("gettid", 186, 178),
    Call("getuid", 102, 174),
    Call("geteuid", 107, 175),
    Call("getgid", 104, 176),
    Call("getegid", 108, 177),
    Call("getrusage", 98, 165),
    Call("getrlimit", 97, 163),
    Call("uname", 63, 160),
    Call("sysinfo", 99, 179),
    Call("getrandom", 318, 278),
    Call("getcpu", 309, 168),
    Call("sched_yield", 24, 124),
    Call("sched_getaffinity", 204, 123),
    Call("futex", 202, 98),
    Call("membarrier", 324, 283),
    Call("rseq", 334, 293),
    Call("rt_sigaction", 13, 134),
    Call("rt_sigprocmask", 14, 135),
    Call("rt_sigreturn", 15, 139),
    Call("sigaltstack", 131, 132),
    Call("restart_syscall", 219, 128),
)
THREADS = (
    Call("clone", 56, 220, ((Check(0, bits=THREAD_FLAG), Check(0, no_bits=NAMESPACE_FLAGS)),)),
    Call("set_robust_list", 273, 99),
)


def allowed(pid: int, *, threads: bool, libraries: bool = False) -> tuple[Call, ...]:
    """All calls that process `pid` may make: new threads only if `threads`, new code only if `libraries`."""
    same_code = () if libraries else ((Check(4, no_bits=PROT_EXEC),),)
    asks = (Check(0, values=(0, pid)), Check(4, values=(0,)), Check(5, values=(0,)))  # of itself, and sets nothing
    judged = (
        Call("mmap", 9, 222, same_code),
        Call("mprotect", 10, 226, same_code),
        Call("tgkill", 234, 131, ((Check(0, values=(pid,)),),)),
        Call("prlimit64", 302, 261, (asks,)),
    )
    return (*MEMORY, *FILES, *CLOCKS, *PROCESS_CALLS, *judged, *(THREADS if threads else ()))
