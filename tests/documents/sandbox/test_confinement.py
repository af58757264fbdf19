"""A rendering child cannot outlive its parent, write files or eat the machine's memory."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from documents.sandbox import framing
from documents.sandbox.spawn import Spawned
from tests.documents.sandbox.orphans import assert_child_dies_with

ROOT = Path(__file__).parents[3]

HOLD = """
import asyncio, os, signal, sys
from documents.sandbox import RendererPool
from documents.values import Source

async def main():
    pool = RendererPool(1)
    await pool.open(Source(path=sys.argv[1], media_type="application/pdf"))
    child = pool._children[0]._spawned.process.pid
    os.kill(child, signal.SIGSTOP)  # as if it hung: it cannot see that its input has ended
    print(child, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

LIMITED = """
import os, sys
from documents.sandbox import confinement

replies = confinement.enter(400_000_000, os.getppid()).replies
print("must not be seen")
said = []
try:
    bytearray(1_000_000_000)
except MemoryError:
    said.append("memory")
try:
    with open(sys.argv[1], "wb") as file:
        file.write(b"x" * 100)
except OSError:
    said.append("file")
replies.write(" ".join(said).encode())
replies.flush()
"""


def test_a_child_that_hangs_dies_with_its_parent(data):
    """Guards against orphans that hold memory after the server was killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data / "letter.pdf")], stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}
    ) as parent:
        assert_child_dies_with(parent)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_memory_files_and_the_reply_stream_are_guarded(tmp_path):
    """Guards against a bomb that fills memory or disk, and against a library's message that breaks the protocol."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "file")],
        capture_output=True,
        env={"PYTHONPATH": str(ROOT)},
        timeout=30,
        check=True,
    )
    assert done.stdout == b"memory file"


WALLED = """
import mmap, os, resource, socket, sys, threading
from documents.sandbox import confinement, framing

files = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=int(sys.argv[2]))
_, replies, _, memory, walls = confinement.enter(800_000_000, os.getppid())
said = list(walls)

def tries(name, call):
    try:
        call()
        said.append(name)
    except (OSError, RuntimeError, ValueError):
        pass

tries("handed", lambda: framing.receive_file(files).read())
tries("own size", memory.resident_bytes)
tries("limit", lambda: resource.setrlimit(resource.RLIMIT_CPU, (100, resource.RLIM_INFINITY)))
tries("memory", lambda: resource.setrlimit(resource.RLIMIT_AS, (10**12, 10**12)))
tries("socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
tries("unix", lambda: socket.socket(socket.AF_UNIX))
tries("write", lambda: os.open(sys.argv[1] + "/new", os.O_WRONLY | os.O_CREAT))
tries("remove", lambda: os.unlink(sys.argv[1] + "/document"))
tries("rename", lambda: os.rename(sys.argv[1] + "/document", sys.argv[1] + "/other"))
tries("run", lambda: os.execv("/bin/true", ["true"]))
tries("fork", os.fork)
tries("thread", threading.Thread(target=int).start)
tries("signal", lambda: os.kill(os.getppid(), 0))
tries("new code", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))
tries("code of a file", lambda: mmap.mmap(files.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC))
tries("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, 0))
tries("session", os.setsid)
if "landlock" in walls:
    tries("other document", lambda: open(sys.argv[1] + "/document", "rb").read())
    tries("proc", lambda: open(f"/proc/{os.getppid()}/environ", "rb").read())
    for name in ("net/tcp", "mountinfo", "maps", "statm"):
        tries(name, lambda: open(f"/proc/self/{name}", "rb").read())
replies.write(" ".join(said).encode())
replies.flush()
"""


def walled(code, *arguments, handed=None):
    """What `code` says from behind the walls; `handed` is a path whose file is sent along, open."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        if handed is not None:
            with handed.open("rb") as file:
                framing.send_file(ours, file.fileno())
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments, str(theirs.fileno())],
            capture_output=True,
            env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
            timeout=120,
            check=True,
            pass_fds=(theirs.fileno(),),
        )
    return done.stdout.decode().split()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_child_reaches_neither_network_nor_files_nor_programs(tmp_path):
    """Guards against a parser that was taken over by the file it reads, and then reads those of others."""
    (tmp_path / "document").write_bytes(b"%PDF")
    output = walled(WALLED, str(tmp_path), handed=tmp_path / "document")
    assert [word for word in output if word != "landlock"] == ["seccomp", "handed", "own", "size"]


SPINNING = """
import os, sys
from documents.sandbox import confinement

confinement.enter(800_000_000, os.getppid())
while True:
    pass
"""


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_child_that_computes_for_ever_is_ended():
    """Guards against a page that costs a processor for as long as its wall clock allows."""

    async def spin():
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", SPINNING, env={"PYTHONPATH": str(ROOT)})
        Spawned(child, socket.socket(), -1).allow_cpu(0.2)
        return await asyncio.wait_for(child.wait(), 60)

    assert asyncio.run(spin()) == -signal.SIGXCPU


REMOUNTED = """
import os, sys
from documents.sandbox import confinement

inside = confinement.enter(800_000_000, os.getppid())
inside.replies.write(b"ready\\n")
inside.replies.flush()
inside.requests.readline()
inside.replies.write(b"%d" % inside.memory.resident_bytes())
"""


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_child_knows_its_size_also_when_the_kernel_has_made_proc_anew(tmp_path):
    """Guards against the end of every child when the kernel drops the entry of /proc that its walls let through."""
    spaces = ["unshare", "--fork", "--pid", "--mount", "--mount-proc", "--map-root-user"]
    if subprocess.run([*spaces, "mount", "-o", "remount", "/proc"], check=False, capture_output=True).returncode:
        pytest.skip("no namespaces of processes and mounts here")
    os.mkfifo(tmp_path / "to")
    script = 'exec 3<>"$1"; "$2" -c "$3" <&3 | { read -r ready; mount -o remount /proc; echo >&3; cat; }'
    command = [*spaces, "bash", "-c", script, "bash", str(tmp_path / "to"), sys.executable, REMOUNTED]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=False, capture_output=True, env=environment, timeout=120)
    assert int(done.stdout) > 1_000_000, done.stderr
