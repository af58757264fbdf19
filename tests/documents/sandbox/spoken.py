"""Processes in the place of a child, which say what a test wants."""

from __future__ import annotations

import asyncio
import os
import socket
import sys

from documents.sandbox import framing
from documents.sandbox.spawn import Spawned


async def printing(*messages, then="sys.stdin.read()"):
    """A process in place of a child that writes `messages` (bytes), does `then` (Python) and ends."""
    code = f"import os, sys; sys.stdout.buffer.write({b''.join(messages)!r}); sys.stdout.flush(); {then}"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words, written = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    command = (sys.executable, "-S", "-c", code)
    with theirs:
        streams = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "stderr": written}
        child = await asyncio.create_subprocess_exec(*command, **streams, pass_fds=(theirs.fileno(),))
    os.close(written)
    return Spawned(child, ours, words)


def message(reply, payload=b""):
    """A message as a child writes it."""
    return b"".join(framing.packed(reply, payload))
