"""`deployments.ingress.api.pages`: a page's facts while the job runs, and its picture, over a real renderer."""

from __future__ import annotations

import io
from collections.abc import Iterator

import httpx
import pymupdf
import pytest
from PIL import Image

from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.operations.callers import KeyRing
from tests.web.conftest import pdf
from tests.web.house import House, house

KEYS = {"mine": "a", "theirs": "b"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    entries = [
        KeyEntry(name=name, namespace=space, roles=frozenset({"ingest", "query"}), sha256=hash_of(name))
        for name, space in KEYS.items()
    ]
    with house(tmp_path_factory.mktemp("data"), KeyRing(entries)) as served:
        yield served


@pytest.fixture(scope="module")
def client(served: House) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.url, headers={"X-API-Key": "mine"}, timeout=60, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def job(served: House, client: httpx.Client) -> dict:
    served.let_pages(2)
    answer = client.post("/v1/documents?wait=60", files={"file": ("a.pdf", pdf(2))})
    assert answer.json()["status"] == "succeeded"
    return answer.json()


def test_a_page_is_what_the_whole_result_says(client: httpx.Client, job: dict) -> None:
    """Guards against a page that is shown otherwise than it is exported."""
    whole = client.get(f"/v1/jobs/{job['id']}/result?format=json").json()
    for number in (1, 2):
        facts = client.get(f"/v1/jobs/{job['id']}/pages/{number}").json()
        regions = [(region["kind"], region["text"], region["box"]) for region in facts["page"]["regions"]]
        assert regions == [
            (region["kind"], region["text"], region["box"]) for region in whole["pages"][number - 1]["regions"]
        ]
        assert len(facts["markdown"]) == len(regions)
    assert client.get(f"/v1/documents/{job['document_id']}/pages/2").json() == facts


def test_a_page_is_there_before_the_job_has_ended(served: House, client: httpx.Client) -> None:
    """Guards against a page that must wait for the others; the one that is not read yet says so."""
    job = client.post("/v1/documents", files={"file": ("b.pdf", pdf(3))}).json()
    served.let_pages(1)
    events = client.stream("GET", f"/v1/jobs/{job['id']}/events")
    with events as lines:
        next(line for line in lines.iter_lines() if line == "event: page")
    answers = [client.get(f"/v1/jobs/{job['id']}/pages/{number}").status_code for number in (1, 2, 3)]
    assert sorted(answers) == [200, 409, 409]
    assert client.delete(f"/v1/jobs/{job['id']}").json()["status"] == "cancelled"


def test_a_picture_has_the_size_that_was_asked_for(client: httpx.Client, job: dict) -> None:
    """Guards against boxes that do not fit the picture: 72 points are an inch."""
    path = f"/v1/jobs/{job['id']}/pages/1/image"
    assert size(client.get(path, params={"dpi": 72})) == (595, 842)
    assert size(client.get(path, params={"dpi": 144, "box": "72,60,272,110"})) == pytest.approx((400, 100), abs=2)
    assert size(client.get(path, params={"dpi": 72, "box": "72,60,272,110", "angle": 90})) == pytest.approx(
        (50, 200), abs=2
    )
    assert size(client.get(f"/v1/documents/{job['document_id']}/pages/1/image", params={"dpi": 36})) == (298, 421)


def test_a_picture_is_kept_by_the_browser_alone(client: httpx.Client, job: dict) -> None:
    """Guards against a proxy that shows one tenant's page to another, and against drawing what is known."""
    first = client.get(f"/v1/jobs/{job['id']}/pages/1/image?dpi=72")
    assert first.headers["cache-control"].startswith("private")
    headers = {"If-None-Match": first.headers["etag"]}
    assert client.get(f"/v1/jobs/{job['id']}/pages/1/image?dpi=72", headers=headers).status_code == 304
    assert client.get(f"/v1/jobs/{job['id']}/pages/1/image?dpi=74", headers=headers).status_code == 200


@pytest.mark.parametrize("rest", ["pages/1", "pages/1/image"])
def test_pages_of_another_namespace_are_not_there(client: httpx.Client, job: dict, rest: str) -> None:
    """Guards against a page that is told to whoever knows its id, also to one who names a copy of it."""
    for path in (f"/v1/jobs/{job['id']}/{rest}", f"/v1/documents/{job['document_id']}/{rest}"):
        etag = client.get(path).headers.get("etag", "")
        response = client.get(path, headers={"X-API-Key": "theirs", "If-None-Match": etag})
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("query", ["dpi=5", "dpi=900", "box=1,2,3", "box=9,9,1,1", "box=a,b,c,d", "angle=45"])
def test_what_cannot_be_drawn_is_refused_by_name(client: httpx.Client, job: dict, query: str) -> None:
    """Guards against a picture of any size, and against faults of the renderer."""
    answer = client.get(f"/v1/jobs/{job['id']}/pages/1/image?{query}")
    assert answer.status_code == 422
    assert query.split("=")[0] in answer.json()["detail"]


def test_a_page_that_no_job_has_is_not_there(client: httpx.Client, job: dict) -> None:
    """Guards against an internal error for a number out of range."""
    assert client.get(f"/v1/jobs/{job['id']}/pages/3").status_code == 404
    assert client.get("/v1/jobs/job_nothing/pages/1").status_code == 404
    assert client.get("/v1/documents/nothing/pages/1/image").status_code == 404


def revised(served: House, client: httpx.Client, name: str) -> list[dict]:
    """The jobs of two revisions of a document: one page, then another page before it."""
    answers = []
    for num_pages, num_read in ((1, 1), (2, 1)):
        content = pdf(2)
        with pymupdf.open(stream=content) as file:
            file.select([1] if num_pages == 1 else [0, 1])
            content = file.tobytes()
        served.let_pages(num_read)
        options = {"options": f'{{"document_id": "{name}"}}'}
        answers.append(client.post("/v1/documents?wait=60", files={"file": ("r.pdf", content)}, data=options).json())
    return answers


def test_a_citation_of_an_earlier_revision_opens_its_page(served: House, client: httpx.Client) -> None:
    """What was page 1 is page 2 now, and was not read again; its citation shows it where it stood."""
    first, second = revised(served, client, "revised")
    assert [page["reused_from"] for page in second["pages"]] == [None, 1]
    for rest in ("", "/image?dpi=72"):
        mark = "&" if rest else "?"
        cited = client.get(f"/v1/documents/revised/pages/1{rest}{mark}revision=1")
        assert cited.content == client.get(f"/v1/jobs/{first['id']}/pages/1{rest}").content
        newest = client.get(f"/v1/documents/revised/pages/1{rest}")
        assert newest.content == client.get(f"/v1/jobs/{second['id']}/pages/1{rest}").content != cited.content
    assert client.get("/v1/documents/revised/pages/1?revision=3").status_code == 404


def test_a_citation_of_a_deleted_revision_says_so(served: House, client: httpx.Client) -> None:
    """Guards against another page under an old citation, and against an error that tells nothing."""
    revised(served, client, "renewed")
    served.forget_superseded("a", "renewed")
    answer = client.get("/v1/documents/renewed/pages/1/image?revision=1")
    assert (answer.status_code, answer.json()["code"]) == (410, "revision_gone")
    assert "revision 1" in answer.json()["detail"]
    assert "the newest is 2" in answer.json()["detail"]
    assert client.get("/v1/documents/renewed/pages/2").status_code == 200


def size(answer: httpx.Response) -> tuple[int, int]:
    assert answer.headers["content-type"] == "image/png"
    return Image.open(io.BytesIO(answer.content)).size
