"""The sandbox of LibreOffice: no network, only its own folder and system files.

Started as `python -m documents.walls.libreoffice FOLDER MEMORY_BYTES CPU_S COMMAND ...`, which becomes the command. It
ends with its parent, and refuses to start where the kernel has not both walls.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import sys
from pathlib import Path

from documents.walls import landlock, seccomp

EXIT_NO_WALLS = 71  # exit status
MAX_FILE_BYTES = 512 << 20
SYSTEM_PATHS = (
    "/lib",
    "/lib64",
    "/usr",
    "/bin",
    "/opt",
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/etc/libreoffice",
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
)
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random", "/dev/zero", "/sys/devices/system/cpu")
# numbers on x86-64 and arm64 of what it may not: speak to anybody, touch other processes, leave its place or process
# group, change what Landlock does not guard: modes, owners, times and attributes; None: there is no such call
FORBIDDEN_CALLS: dict[str, tuple[int, int | None]] = {
    "connect": (42, 203),  # the sockets that may be made are local ones: LibreOffice listens on one, in vain
    "ptrace": (101, 117),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "perf_event_open": (298, 241),
    "mq_open": (240, 180),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "setsid": (112, 157),  # the printer ends the process group
    "setpgid": (109, 154),
    "truncate": (76, 45),  # Landlock guards it from its third version on
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}


def enter(folder: Path, memory_bytes: int, cpu_s: int) -> bool:
    """Put up the walls for good, also around what this process becomes; False where the kernel has not both."""
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, MAX_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
    ):
        resource.setrlimit(limit, (value, value))
    rules = {Path(name): landlock.ACCESS_READ | landlock.ACCESS_EXECUTE for name in SYSTEM_PATHS} | {
        Path(name): landlock.ACCESS_READ | landlock.ACCESS_WRITE for name in DEVICES
    }
    rules[Path("/tmp")] = landlock.ACCESS_SOCKET  # noqa: S108  LibreOffice ends where it cannot make its own there
    numbers = [
        on_x86_64 if platform.machine() == "x86_64" else on_arm64 for on_x86_64, on_arm64 in FORBIDDEN_CALLS.values()
    ]
    return landlock.restrict({**rules, folder: landlock.ACCESS_ALL & ~landlock.ACCESS_EXECUTE}) and seccomp.refuse(
        [number for number in numbers if number is not None]
    )


def main() -> None:
    folder, memory_bytes, cpu_s, *command = sys.argv[1:]
    parent_pid = os.getppid()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    os.nice(10)
    if os.getppid() != parent_pid or not enter(Path(folder), int(memory_bytes), int(cpu_s)):
        sys.exit(EXIT_NO_WALLS)
    os.execv(command[0], command)  # noqa: S606  no shell is meant


if __name__ == "__main__":
    main()
