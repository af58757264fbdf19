"""The HTTP/1.1 connection: closes one whose headers arrive too slowly or are too large, or whose refused body goes
on.

Checked with: uvicorn 0.54.0
"""

from __future__ import annotations

import asyncio

from uvicorn import config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 15.0  # time for the head of a request, from its first byte or the start of the connection
BODY_PIECE_TIMEOUT_S = 5.0  # between two pieces of a body whose call is answered: an early close would hide the answer
MAX_REST_S = 30.0  # time for all pieces; compare nginx's lingering_timeout and lingering_time
MAX_REST_BYTES = 64 << 20  # bytes that are read of all pieces


def bound_connections() -> None:
    """In a process that will run uvicorn, before it takes connections."""
    config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{BoundedHttpProtocol.__name__}"


class BoundedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with two limits that it lacks: it waits for a head, and drops a refused body, for ever."""

    _timer: asyncio.TimerHandle | None = None
    _in_body = False
    _rest_ends = 0.0  # by the loop's clock: when the body must have come whose call is answered
    _num_rest = 0  # bytes that came of it

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._close_in(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_close_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        upgraded = self.transport.get_protocol() is not self
        idle = self.cycle is None or (self.cycle.response_complete and not self._in_body)
        if idle and not upgraded and self.timeout_keep_alive_task is None:  # uvicorn has just stopped its own timer
            self._close_in(HEAD_S)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._close_in(HEAD_S)

    def on_headers_complete(self) -> None:
        self._cancel_close_timer()
        self._in_body = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if self.cycle.response_complete:
            self._num_rest += len(body)
            if self._num_rest > MAX_REST_BYTES:
                self.flow.pause_reading()
            else:
                self._await_rest()

    def on_message_complete(self) -> None:
        self._cancel_close_timer()
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._in_body and self.cycle.response_complete:  # else a pipelined request's body is on its way
            self._rest_ends = self.loop.time() + MAX_REST_S
            self._num_rest = 0
            self._await_rest()

    def _await_rest(self) -> None:
        self._cancel_close_timer()
        self._close_in(min(BODY_PIECE_TIMEOUT_S, self._rest_ends - self.loop.time()))

    def _close_in(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self._close)

    def _cancel_close_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.close()
