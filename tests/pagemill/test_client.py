"""`pagemill.client`: over the real ingress and job runner, on a real port."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from pagemill import Client, Options, Refused, Unreachable
from tests.pagemill.conftest import QUICK
from tests.pagemill.local_ingress import KEY, Here, serving

PDF = (Path(__file__).parents[1] / "data" / "letter.pdf").read_bytes()
BUSY = json.dumps({"title": "Busy", "status": 503, "detail": "no room", "code": "full", "retryable": True}).encode()


def test_a_document_becomes_a_job_that_ends_with_its_pages_and_a_result(client: Client) -> None:
    """Guards against a client whose values are not those of the server."""
    job = client.ingest(PDF, name="letter.pdf", options=Options(metadata={"a": "b"}), wait_s=None)
    assert (job.status, job.file_name, len(job.pages)) == ("succeeded", "letter.pdf", 3)
    assert client.job(job.id) == job
    assert [listed.id for listed in client.jobs()] == [job.id]
    assert client.result(job.id, "json").json()["metadata"]["a"] == "b"


def test_a_busy_server_is_asked_again_with_the_whole_file(here: Here, client: Client) -> None:
    """Guards against a second attempt that sends the rest of a file that was read before."""
    here.mischief.refusals = [(503, {"retry-after": "0"}, BUSY), (502, {}, b"<html>bad gateway</html>")]
    job = client.ingest(Path(__file__).parents[1] / "data" / "letter.pdf", wait_s=None)
    assert job.status == "succeeded"
    assert job.document_id == client.ingest(PDF).document_id
    keys = [headers["idempotency-key"] for method, _, headers in here.mischief.asked[:3] if method == "POST"]
    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_what_can_never_go_well_is_asked_once(here: Here, client: Client) -> None:
    """Guards against a retry of a file that is no document."""
    with pytest.raises(Refused) as refused:
        client.ingest(b"\x7fELF\x02\x01\x01" + bytes(99))
    assert (refused.value.problem.status, refused.value.problem.code) == (415, "unsupported_media_type")
    assert here.calls("POST") == 1


def test_attempts_come_to_an_end(here: Here, client: Client) -> None:
    """Guards against a client that asks for ever."""
    here.mischief.refusals = [(503, {}, BUSY)] * 50
    with pytest.raises(Refused, match="no room"):
        client.jobs()
    assert here.calls("GET") == QUICK.max_attempts


def test_a_server_that_is_not_there_is_said_so() -> None:
    """Guards against an error of the transport that a caller does not know."""
    with Client("http://127.0.0.1:9", retries=QUICK) as client, pytest.raises(Unreachable, match=r"127\.0\.0\.1:9"):
        client.jobs()


def test_another_program_at_the_address_is_said_so() -> None:
    """Guards against the validator's own words where the address leads to some other server."""
    page = httpx.MockTransport(lambda _: httpx.Response(200, html="<html>welcome</html>"))
    with Client(transport=page, retries=QUICK) as client:
        for call in (client.jobs, lambda: client.job("a"), lambda: client.query("a")):
            with pytest.raises(Unreachable, match="no Pagemill server"):
                call()


def test_events_go_on_where_a_stream_breaks(here: Here, client: Client) -> None:
    """Guards against events that are told twice, or skipped, when a connection is lost."""
    job = client.ingest(PDF, wait_s=None)
    whole = list(client.events(job.id))
    here.mischief.break_after = [2, 1, 0, 3]
    assert list(client.events(job.id)) == whole
    assert whole[-1].kind == "succeeded"
    assert sorted(event.body["number"] for event in whole if event.kind == "page") == [1, 2, 3]
    assert list(client.events(job.id, after=whole[-1].id)) == []
    assert list(client.events(job.id, after=whole[2].id)) == whole[3:]


def test_a_stream_that_is_left_is_closed(tmp_path: Path) -> None:
    """Guards against a connection for every stream that somebody looked into."""
    with serving(tmp_path, gated=True) as here, Client(here.url, retries=QUICK) as client:
        job = client.ingest(PDF)
        stream = client.events(job.id)
        assert next(stream).kind == "queued"
        stream.close()  # pyright: ignore[reportAttributeAccessIssue]
        assert client._http._transport._pool.connections == []  # pyright: ignore[reportAttributeAccessIssue]
        with pytest.raises(Refused) as refused:
            client.result(job.id)
        assert refused.value.problem.code == "not_ready"
        assert client.wait(job.id, 0.1).status == "running"
        assert client.cancel(job.id).status == "cancelled"


def test_the_key_is_sent_and_a_wrong_one_is_not_tried_again(tmp_path: Path) -> None:
    """Guards against a key that stays in the client, and a storm of calls without one."""
    with serving(tmp_path, keys=True) as here:
        with Client(here.url, api_key=KEY, retries=QUICK) as client:
            assert client.jobs() == ()
        with Client(here.url, retries=QUICK) as client, pytest.raises(Refused) as refused:
            client.jobs()
        assert refused.value.problem.status == 401
        assert here.calls("GET") == 2
