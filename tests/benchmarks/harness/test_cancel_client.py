"""`benchmarks.harness.cancel_client`: a client that leaves, and an engine that is free."""

from __future__ import annotations

import socket

import httpx

from benchmarks.harness.cancel_client import _Call, _engine_is_free

FREE = {"num_free_blocks": 8, "num_blocks": 8, "num_running": 0, "num_waiting": 0}


def test_an_engine_is_free_only_with_all_its_blocks_and_no_sequence() -> None:
    """Guards against a slot that is counted as free while somebody waits for it."""
    assert _engine_is_free(FREE)
    for name, value in {"num_free_blocks": 7, "num_running": 1, "num_waiting": 1}.items():
        assert not _engine_is_free(FREE | {name: value})


def test_a_call_sends_all_of_its_request_and_leaves_when_told() -> None:
    """Guards against a departure that is measured while the upload is still under way."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        request = httpx.Request("POST", f"http://127.0.0.1:{port}/v1/ocr?a=1", content=b"body")
        call = _Call(request)
        there, _ = listener.accept()
        with there:
            there.settimeout(10)
            result = there.recv(4096)
            assert result.startswith(b"POST /v1/ocr?a=1 HTTP/1.1\r\n")
            assert result.endswith(b"\r\n\r\nbody")
            call.close()
            assert there.recv(1) == b""
