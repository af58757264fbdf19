"""POST /v1/jobs/{id}/retry and GET /v1/capabilities over real jobs."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.staged_blob import StagedBlob
from tests.web.conftest import pdf
from tests.web.house import House, house


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data")) as served:
        yield served


def test_the_stored_bytes_are_read_again_with_other_options(served: House) -> None:
    """Guards against a button that would need the file a second time, and against a repetition that changes nothing."""
    served.let_pages(3)
    client = httpx.Client(base_url=served.url, timeout=60, trust_env=False)
    job = client.post("/v1/documents?wait=60", files={"file": ("a.pdf", pdf(1))}).json()
    assert (job["media_type"], job["size"]) == ("application/pdf", len(pdf(1)))
    again = client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"text_source": "ocr"}})
    assert again.status_code == 202
    assert (again.json()["document_id"], again.json()["revision"]) == (job["document_id"], 2)
    assert again.json()["file_name"] == "a.pdf"
    unknown = client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"colour": "red"}})
    assert unknown.status_code == 422
    hooked = client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"webhook": {"url": "http://10.0.0.1/"}}})
    assert (hooked.status_code, hooked.json()["code"]) == (422, "webhook_refused")
    assert client.post("/v1/jobs/job_none/retry", json={}).status_code == 404
    assert client.get("/v1/capabilities").json() == {"answers": False, "extraction": False, "schemas": []}
    client.close()


def test_a_document_that_is_deleted_while_its_file_is_copied_is_not_brought_back(
    served: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a document in search after 204: the retry had its copy of the file before."""
    served.let_pages(2)
    copied = FolderBlobs.copied
    with httpx.Client(base_url=served.url, timeout=60, trust_env=False) as client:
        job = client.post("/v1/documents?wait=60", files={"file": ("b.pdf", pdf(2))}).json()

        def deleted_meanwhile(blobs: FolderBlobs, sha256: str) -> StagedBlob:
            staged = copied(blobs, sha256)
            assert httpx.delete(f"{served.url}/v1/documents/{job['document_id']}", trust_env=False).status_code == 204
            return staged

        monkeypatch.setattr(FolderBlobs, "copied", deleted_meanwhile)
        retried = client.post(f"/v1/jobs/{job['id']}/retry", json={"options": {"text_source": "ocr"}})
        assert (retried.status_code, retried.json()["code"]) == (404, "not_found")
        listed = client.get("/v1/jobs").json()["jobs"]
        assert job["document_id"] not in [one["document_id"] for one in listed]
