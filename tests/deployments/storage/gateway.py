"""A way to a server that can be closed: then nobody answers at its address, and what is under way breaks off."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Gateway:
    """Passes the bytes of each connection on, in threads that end with it."""

    def __init__(self, target: tuple[str, int], host: str = "127.0.0.1") -> None:
        """`host`: the address of this machine on which it listens."""
        self._target = target
        self._address = (host, 0)
        self._listener: socket.socket | None = None
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.num_bytes_to_client = 0
        self.max_bytes_to_client: int | None = None  # then it closes

    @property
    def url(self) -> str:
        return f"http://{self._address[0]}:{self._address[1]}"

    def open(self) -> None:
        """Listen, at the same address as before."""
        self._listener = socket.create_server(self._address, reuse_port=False)
        self._address = self._listener.getsockname()
        self._start(self._accept, self._listener)

    def close(self) -> None:
        """Break all connections off and take no other."""
        listener, self._listener = self._listener, None
        for end_point in (listener, *self._open):
            if end_point is not None:
                with contextlib.suppress(OSError):
                    end_point.shutdown(socket.SHUT_RDWR)
                end_point.close()
        self._open.clear()

    def end(self) -> None:
        """Close, and wait for all threads."""
        self.close()
        for thread in self._threads:
            thread.join()

    def _start(self, work: object, *args: object) -> None:
        thread = threading.Thread(target=work, args=args)  # pyright: ignore[reportArgumentType]
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(self._target)
                self._open |= {client, server}
                self._start(self._pass, client, server, False)
                self._start(self._pass, server, client, True)

    def _pass(self, source: socket.socket, target: socket.socket, to_client: bool) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(1 << 16):
                target.sendall(chunk)
                self.num_bytes_to_client += to_client * len(chunk)
                if self.max_bytes_to_client is not None and self.num_bytes_to_client > self.max_bytes_to_client:
                    self.close()
        for end_point in (source, target):
            with contextlib.suppress(OSError):
                end_point.shutdown(socket.SHUT_RDWR)
            end_point.close()


@contextlib.contextmanager
def gateway(url: str, own_host: str = "127.0.0.1") -> Iterator[Gateway]:
    """An open way to the server at `url`."""
    host, _, port = url.removeprefix("http://").partition(":")
    way = Gateway((host, int(port)), own_host)
    way.open()
    try:
        yield way
    finally:
        way.end()
