"""Documents through the running graph: from an upload to text, and every refusal."""

from __future__ import annotations

import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest
from PIL import Image

from tests.serve.files import LINES, pdf, png
from tests.serve.fresh import fresh_parts
from tests.serve.gates import standing_still, until

pytestmark = pytest.mark.serve


def post(client: httpx.Client, content: bytes, *, name: str = "a.pdf", wait: float = 120, **options: Any) -> Any:
    form = {"options": json.dumps(options)}
    return client.post("/v1/documents", params={"wait": wait}, files={"file": (name, content)}, data=form)


def test_a_pdf_becomes_text_with_every_page_listed(client: httpx.Client) -> None:
    """Guards against pages that vanish between upload and result."""
    answer = post(client, pdf(3))
    job = answer.json()
    assert (answer.status_code, job["status"], job["num_pages"]) == (200, "succeeded", 3)
    assert [(page["number"], page["status"], page["text_source"]) for page in job["pages"]] == [
        (number, "succeeded", "text_layer") for number in (1, 2, 3)
    ]
    markdown = client.get(job["links"]["result"], params={"format": "md"})
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert [f"part {number}" in markdown.text for number in (1, 2, 3)] == [True] * 3
    assert all(line in " ".join(markdown.text.split()) for line in LINES)
    document = client.get(job["links"]["result"], params={"format": "json"}).json()
    spans = [span for page in document["pages"] for region in page["regions"] for span in region["spans"]]
    assert {span["source"] for span in spans} == {"text_layer"}
    assert all(0 <= span["box"]["x0"] < span["box"]["x1"] <= 595 for span in spans)
    text = client.get(job["links"]["result"], params={"format": "text"}).text
    assert LINES[0] in " ".join(text.split())


def test_every_format_of_a_result_is_served(client: httpx.Client) -> None:
    """Guards against a format that works in the functions and not through the graph."""
    result = post(client, pdf(2), name="formats.pdf").json()["links"]["result"]
    docling = client.get(result, params={"format": "docling"}).json()
    assert sorted(docling["pages"]) == ["1", "2"]
    chunks = client.get(result, params={"format": "chunks"}).text.splitlines()
    assert any(LINES[0] in json.loads(line)["text"].replace("\n", " ") for line in chunks)
    first, again = (client.get(result, params={"format": "zip"}) for _ in range(2))
    assert first.content == again.content
    with zipfile.ZipFile(io.BytesIO(first.content)) as archive:
        assert {"document.md", "document.json"} <= set(archive.namelist())


def test_a_picture_of_the_page_is_read_by_the_engine(client: httpx.Client) -> None:
    """Guards against OCR that is wired to nothing."""
    job = post(client, png(), name="a.png").json()
    assert job["status"] == "succeeded"
    assert job["pages"][0]["text_source"] == "ocr"
    document = client.get(job["links"]["result"], params={"format": "json"}).json()
    regions = [region for region in document["pages"][0]["regions"] if region["text"]]
    assert {region["reader"] for region in regions} == {"ocr-compact"}
    assert "harbour master keeps the log" in " ".join(" ".join(region["text"] for region in regions).split())


def test_the_same_upload_is_the_same_job(client: httpx.Client) -> None:
    """Guards against work done twice."""
    first, second = (post(client, pdf(2, title="Twice")).json() for _ in range(2))
    assert first["id"] == second["id"]


def test_two_documents_at_once_share_layout_batches_and_decode_steps(
    client: httpx.Client, replicas: dict[str, psutil.Process]
) -> None:
    """Guards against documents that are done one after the other."""
    before = fresh_parts(client)
    bulk, carried = (pdf(16, title=title, has_drawing=True) for title in ("Bulk", "Carried"))  # which are looked at
    uploads = [("b.pdf", bulk), ("c.pdf", carried)]  # more than are let in at once
    scans = ("Dawn", "Evening", "Forenoon", "Midnight", "Noon", "Sunset")  # Ocr takes longer over one than its lines do
    uploads += [(f"{title}.png", png(title, repeats=12)) for title in scans]
    with standing_still(replicas["Ocr"]), ThreadPoolExecutor(len(uploads)) as threads:
        jobs = list(threads.map(lambda upload: post(client, upload[1], name=upload[0], wait=0).json(), uploads))
        until(lambda: all(_is_read(client, job["links"]["self"]) for job in jobs[2:4]))
    ended = [client.get(job["links"]["self"], params={"wait": 120}).json() for job in jobs]
    after = fresh_parts(client)
    assert [job["status"] for job in ended] == ["succeeded"] * len(uploads)
    assert after["layout"]["shared_batches"] > before["layout"]["shared_batches"]
    assert after["ocr"]["shared_steps"] > before["ocr"].get("shared_steps", 0)


def _is_read(client: httpx.Client, job: str) -> bool:
    """Whether its one page is in the pipeline."""
    return [page["status"] for page in client.get(job).json()["pages"]] == ["running"]


def test_an_ingested_document_is_found_with_its_page_and_boxes(client: httpx.Client) -> None:
    """Guards against an index that nothing reaches."""
    job = post(client, pdf(2, title="Lighthouse Order")).json()
    passages = client.post("/v1/query", json={"query": "Lighthouse Order", "k": 5}).json()["passages"]
    hit = next(passage for passage in passages if passage["document_id"] == job["document_id"])
    assert hit["page"] in (1, 2)
    assert hit["boxes"]


def test_the_ocr_route_reads_an_image_at_once_and_as_a_stream(client: httpx.Client) -> None:
    """Guards against a stream whose text differs from the whole."""
    whole = client.post("/v1/ocr", files={"image": ("a.png", png())}, data={"mode": "plain"}).json()["text"]
    assert "harbour master" in whole
    with client.stream("POST", "/v1/ocr", files={"image": ("a.png", png())}, data={"stream": "true"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
    tokens, reading = [event["token"] for event in events[:-1]], events[-1]
    assert reading["text"] == whole
    assert len(tokens) > 1
    assert "".join(tokens).split() == whole.split()


BAD_DOORS = [
    ("not a document", {"file": ("a.pdf", b"\x00\x01\x02 hello")}, {}, 415, "unsupported_media_type"),
    ("a drawing", {"file": ("a.pdf", b"<svg></svg>")}, {}, 415, "unsupported_media_type"),
    ("empty", {"file": ("a.pdf", b"")}, {}, 400, "empty_file"),
    ("too large", {"file": ("a.pdf", b"%PDF-1.4\n" + bytes(2_000_000))}, {}, 413, "file_too_large"),
    ("no file", {"other": ("a.pdf", b"")}, {}, 422, "invalid_option"),
    ("nested options", {"file": ("a.pdf", pdf())}, {"options": "[" * 100_000}, 400, "malformed_request"),
    ("unknown option", {"file": ("a.pdf", pdf())}, {"options": '{"colour": 1}'}, 422, "invalid_option"),
    ("wrong value", {"file": ("a.pdf", pdf())}, {"options": '{"pages": "x"}'}, 422, "invalid_option"),
    ("options not JSON", {"file": ("a.pdf", pdf())}, {"options": "{"}, 400, "malformed_request"),
    ("unknown field", {"file": ("a.pdf", pdf())}, {"langauge": "en"}, 422, "invalid_option"),
]


@pytest.mark.parametrize(("what", "files", "form", "status", "code"), BAD_DOORS, ids=[row[0] for row in BAD_DOORS])
def test_what_is_refused_at_the_door_leaves_no_job_and_no_blob(
    client: httpx.Client, data_dir, what: str, files: Any, form: Any, status: int, code: str
) -> None:
    """Guards against rubbish that is kept, and against refusals without a reason."""
    before = _kept(client, data_dir)
    answer = client.post("/v1/documents", files=files, data=form)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["detail"]
    assert _kept(client, data_dir) == before
    assert client.get("/livez").status_code == 200


def test_an_unknown_option_is_named(client: httpx.Client) -> None:
    """Guards against a refusal that leaves the caller to guess."""
    assert "'colour'" in post(client, pdf(), colour=1).json()["detail"]


def test_an_upload_too_large_is_refused_before_it_is_all_read(client: httpx.Client) -> None:
    """Guards against a server that swallows whatever is sent before it says no."""
    num_sent = 0

    def body():
        nonlocal num_sent
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\n'
        for _ in range(2000):
            num_sent += 100_000
            yield bytes(100_000)

    answer = client.post("/v1/documents", content=body(), headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code == 413
    assert num_sent < 150_000_000


NO_PAGES = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj
trailer<</Root 1 0 R/Size 3>>
%%EOF
"""
BAD_DOCUMENTS = [
    ("encrypted", pdf(password="secret"), 422, "encrypted_document"),
    ("damaged", b"%PDF-1.7\n" + bytes(range(256)) * 16, 422, "unreadable_document"),
    ("too many pages", pdf(21), 413, "too_many_pages"),
    ("no pages", NO_PAGES, 422, "no_pages"),
]


@pytest.mark.parametrize(("what", "content", "status", "code"), BAD_DOCUMENTS, ids=[row[0] for row in BAD_DOCUMENTS])
def test_what_is_found_on_opening_is_kept_as_a_failed_job(
    client: httpx.Client, what: str, content: bytes, status: int, code: str
) -> None:
    """Guards against 200 for a failure, and against a failure that nobody can look up."""
    answer = post(client, content)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code)
    assert "/" not in problem["detail"], "no path of the server's"
    job = client.get(f"/v1/jobs/{problem['job_id']}")
    assert (job.status_code, job.json()["status"]) == (200, "failed")
    assert job.json()["error"]["code"] == code
    result = client.get(f"/v1/jobs/{problem['job_id']}/result")
    assert (result.status_code, result.json()["code"]) == (status, code)


def test_the_ocr_route_reads_a_part_of_an_image(client: httpx.Client) -> None:
    """Guards against a box in other pixels than those of the image that was sent."""
    picture = png()
    width, height = Image.open(io.BytesIO(picture)).size
    box = f"0,0,{width},{height * 120 // 842}"  # the heading alone: the lines begin below
    text = client.post("/v1/ocr", files={"file": ("a.png", picture)}, data={"box": box}).json()["text"]
    assert "Harbour Rules" in text
    assert "master" not in text


BAD_IMAGES = [
    ("a PDF", [("file", ("a.pdf", pdf()))], {}, 415, "unsupported_media_type"),
    ("empty", [("file", ("a.png", b""))], {}, 400, "empty_file"),
    ("damaged", [("file", ("a.png", png()[:200]))], {}, 422, "unreadable_document"),
    ("two at once", [("file", ("a.png", png()))] * 2, {}, 400, "malformed_request"),
    ("unknown mode", [("file", ("a.png", png()))], {"mode": "verse"}, 422, "invalid_option"),
    ("box of no area", [("file", ("a.png", png()))], {"box": "9,9,9,9"}, 422, "invalid_option"),
    ("box outside", [("file", ("a.png", png()))], {"box": "9000,9000,9001,9001"}, 422, "invalid_option"),
    ("colour", [("file", ("a.png", png()))], {"color": "red"}, 422, "color_unavailable"),
    ("unknown field", [("file", ("a.png", png()))], {"colour": "red"}, 422, "invalid_option"),
]


@pytest.mark.parametrize(("what", "files", "form", "status", "code"), BAD_IMAGES, ids=[row[0] for row in BAD_IMAGES])
def test_the_ocr_route_refuses_by_name_also_as_a_stream(
    client: httpx.Client, data_dir, what: str, files: Any, form: Any, status: int, code: str
) -> None:
    """Guards against a 200 whose stream then breaks off, and against files left aside."""
    for stream in ("false", "true"):
        answer = client.post("/v1/ocr", files=files, data=form | {"stream": stream})
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert list((data_dir / "blobs" / "incoming").iterdir()) == []


def test_an_idempotency_key_with_another_document_is_refused_and_leaves_nothing(client: httpx.Client, data_dir) -> None:
    """Guards against a key that answers for a document it never came with."""
    for title, status in (("Key one", 202), ("Key one", 202), ("Key two", 422)):
        before = _kept(client, data_dir)
        files = {"file": ("a.pdf", pdf(title=title))}
        answer = client.post("/v1/documents", files=files, headers={"Idempotency-Key": "same"})
        assert answer.status_code == status
    assert answer.json()["code"] == "idempotency_key_reused"
    assert _kept(client, data_dir) == before


def test_a_wrong_method_says_which_are_right(client: httpx.Client) -> None:
    """Guards against a 405 without the header that HTTP asks for."""
    answer = client.put("/v1/jobs")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in answer.headers["allow"]
    assert answer.json()["request_id"]


def test_the_right_password_opens_an_encrypted_document(client: httpx.Client) -> None:
    """Guards against the option `password` being dropped on the way."""
    job = post(client, pdf(password="secret"), password="secret").json()
    assert job["status"] == "succeeded"


def test_several_files_give_several_jobs(client: httpx.Client) -> None:
    """Guards against all but the first file of a form being dropped."""
    files = [("file", (f"{title}.pdf", pdf(title=title))) for title in ("East", "West")]
    answer = client.post("/v1/documents", params={"wait": 120}, files=files)
    assert [job["status"] for job in answer.json()["jobs"]] == ["succeeded"] * 2


def test_without_wait_the_answer_is_202_and_where_to_look(client: httpx.Client) -> None:
    """Guards against an upload that blocks its caller."""
    answer = post(client, pdf(5, title="Later"), wait=0)
    assert answer.status_code == 202
    job = client.get(answer.headers["location"], params={"wait": 120}).json()
    assert job["status"] == "succeeded"


def test_a_cancelled_job_says_so_and_has_no_result(client: httpx.Client) -> None:
    """Guards against a cancel that is answered and not done."""
    job = post(client, pdf(20, title="Given up"), wait=0).json()
    cancelled = client.delete(f"/v1/jobs/{job['id']}").json()
    assert cancelled["status"] == "cancelled"
    assert client.get(f"/v1/jobs/{job['id']}/result").status_code == 409


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/result"), ("DELETE", "")])
def test_an_unknown_job_is_404(client: httpx.Client, method: str, path: str) -> None:
    """Guards against a 500, or an empty 200, for a mistyped id."""
    answer = client.request(method, f"/v1/jobs/job_0{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def _kept(client: httpx.Client, data_dir) -> tuple[int, int]:
    blobs = sum(path.is_file() for path in (data_dir / "blobs").rglob("*"))
    return len(client.get("/v1/jobs", params={"limit": 1000}).json()["jobs"]), blobs
