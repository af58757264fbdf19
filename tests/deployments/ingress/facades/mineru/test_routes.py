"""MinerU's call over the real routes and jobs: what its clients send, and what they read."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator

import docx
import httpx
import pytest

from configs.api_keys import KeyEntry, new_key
from deployments.ingress.operations.callers import KeyRing
from tests.serve.files import pdf, png
from tests.web.house import House, house

KEYS = {name: new_key() for name in ("writer", "reader")}
ENTRIES = [
    KeyEntry(name="writer", sha256=KEYS["writer"][1], namespace="a", roles=frozenset({"ingest", "query"})),
    KeyEntry(name="reader", sha256=KEYS["reader"][1], namespace="a", roles=frozenset({"query"})),
]
FILE = {"files": ("Tide tables.v2.pdf", pdf(2), "application/octet-stream")}


@pytest.fixture(scope="module")
def blocking_calls_fail() -> None:
    """The server of these tests runs in a thread of its own, with everything that blocks in others."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data"), KeyRing(ENTRIES)) as served:
        served.let_pages(1000)
        yield served


@pytest.fixture(scope="module")
def client(served: House) -> Iterator[httpx.Client]:
    auth = ("pagemill", KEYS["writer"][0])
    with httpx.Client(base_url=served.url, auth=auth, timeout=60, trust_env=False) as client:
        yield client


def test_markdown_is_returned_by_the_name_of_the_file(client: httpx.Client):
    """The very form of Open WebUI: `return_md` alone, its own parameters as fields."""
    data = {"return_md": "true", "enable_ocr": "False", "language": "en", "model_version": "pipeline"}
    answer = client.post("/file_parse", files=FILE, data=data)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert list(body["results"]) == ["Tide tables.v2"]
    assert list(body["results"]["Tide tables.v2"]) == ["md_content"]
    assert "Harbour Rules, part 2" in body["results"]["Tide tables.v2"]["md_content"]
    assert (body["backend"], isinstance(body["version"], str)) == ("pipeline", True)
    assert body["ignored_options"] == ["enable_ocr", "language", "model_version"]
    assert answer.headers["Pagemill-Ignored-Options"] == "enable_ocr, language, model_version"


def test_json_within_the_answer_is_text_and_markdown_can_be_left_out(client: httpx.Client):
    data = {"return_md": "False", "return_content_list": "True", "return_middle_json": "True"}
    (result,) = client.post("/file_parse", files=FILE, data=data).json()["results"].values()
    assert sorted(result) == ["content_list", "middle_json"]
    items = json.loads(result["content_list"])
    assert {item["page_idx"] for item in items if "harbour master" in item["text"]} == {0, 1}
    for item in items:
        assert all(isinstance(edge, int) and 0 <= edge <= 1000 for edge in item["bbox"])
    pages = json.loads(result["middle_json"])["pdf_info"]
    assert [(page["page_idx"], page["page_size"]) for page in pages] == [(k, [595.0, 842.0]) for k in range(2)]


@pytest.mark.parametrize(
    ("first", "last", "pages"), [(1, 1, [1]), (1, 99999, [1, 2]), (0, 0, [0]), (1, 50, [1, 2]), (2, -1, [2])]
)
def test_pages_are_counted_in_the_whole_document(client: httpx.Client, first: int, last: int, pages: list[int]):
    """RAGFlow sends a range and draws what it gets on the pages of the whole file."""
    data = {"start_page_id": first, "end_page_id": last, "return_content_list": "true"}
    files = {"files": ("a.pdf", pdf(3))}
    (result,) = client.post("/file_parse", files=files, data=data).json()["results"].values()
    assert sorted({item["page_idx"] for item in json.loads(result["content_list"])}) == pages


def with_picture() -> bytes:
    """A letter with a photograph between two paragraphs."""
    file, letter = io.BytesIO(), docx.Document()
    letter.add_paragraph("The pier in winter is closed to all visitors.")
    letter.add_picture(io.BytesIO(png()))
    letter.add_paragraph("It opens again in spring when the ice has gone.")
    letter.save(file)
    return file.getvalue()


def test_pictures_come_beside_the_markdown_that_names_them(client: httpx.Client):
    """Guards against addresses of pictures that are not in the answer."""
    files = {"files": ("pier.docx", with_picture())}
    data = {"return_images": "true", "return_content_list": "true"}
    (result,) = client.post("/file_parse", files=files, data=data).json()["results"].values()
    ((name, picture),) = result["images"].items()
    assert f"](images/{name})" in result["md_content"]
    assert [item["img_path"] for item in json.loads(result["content_list"]) if item["type"] == "image"] == [
        f"images/{name}"
    ]
    assert picture.startswith("data:image/png;base64,")
    (bare,) = client.post("/file_parse", files=files).json()["results"].values()
    assert "![" not in bare["md_content"]
    assert "<!--" not in bare["md_content"]
    zipped = client.post("/file_parse", files=files, data=data | {"response_format_zip": "true"})
    with zipfile.ZipFile(io.BytesIO(zipped.content)) as archive:
        assert sorted(archive.namelist()) == ["pier/images/" + name, "pier/pier.md", "pier/pier_content_list.json"]
        assert archive.read(f"pier/images/{name}").startswith(b"\x89PNG")


def test_files_in_a_zip_are_named_as_clients_look_for_them(client: httpx.Client):
    """Guards against names that leave the folder they are unpacked in, and against a file that is lost silently."""
    names = ("../../etc/Lage (1) ü.pdf", "a\\b\\Lage (1) ü.pdf", ".hidden..pdf", "bad.pdf")
    contents = (pdf(1), pdf(1, title="Other"), pdf(1), pdf(password="secret"))
    files = [("files", (name, content)) for name, content in zip(names, contents, strict=True)]
    answer = client.post("/file_parse", files=files, data={"response_format_zip": "true"})
    assert (answer.status_code, answer.headers["content-type"]) == (207, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(archive.namelist()) == [
            "Lage__1__ü-2/Lage__1__ü-2.md",
            "Lage__1__ü/Lage__1__ü.md",
            "_hidden./_hidden..md",
            "errors.json",
        ]
        assert [error["code"] for error in json.loads(archive.read("errors.json"))["bad"]] == ["encrypted_document"]
    answer = client.post("/file_parse", files=files)
    assert answer.status_code == 207
    assert list(answer.json()["results"]) == ["Lage (1) ü", "Lage (1) ü-2", ".hidden."]
    assert list(answer.json()["errors"]) == ["bad"]


@pytest.mark.parametrize(
    ("content", "data", "status"),
    [
        (b"\x00 no document", {}, 415),
        (pdf(password="secret"), {}, 422),
        (pdf(), {"parse_method": "guess"}, 422),
        (pdf(), {"start_page_id": 2, "end_page_id": 1}, 422),
        (pdf(), {"start_page_id": -1}, 422),
        (pdf(), {"start_page_id": 7}, 422),
    ],
)
def test_what_cannot_be_parsed_is_refused_with_its_reason(
    client: httpx.Client, content: bytes, data: dict, status: int
):
    """Guards against 200 over nothing: the client would store an empty document."""
    answer = client.post("/file_parse", files={"files": ("a.pdf", content)}, data=data)
    assert answer.status_code == status, answer.text
    assert isinstance(answer.json()["detail"], str)


def test_nothing_is_left_of_a_parsed_file(client: httpx.Client):
    """Guards against a store that fills with what nobody asks for again, and cannot name."""
    assert client.post("/file_parse", files=FILE).status_code == 200
    for job in client.get("/v1/jobs").json()["jobs"]:  # the last one may still be on its way out
        client.get(f"/v1/jobs/{job['id']}", params={"wait": 5})
    assert len([job for job in client.get("/v1/jobs").json()["jobs"] if job["status"] == "succeeded"]) < 2


def test_a_key_that_may_not_ingest_may_not_parse(served: House):
    for auth, status in ((None, 401), (("x", "wrong"), 401), (("x", KEYS["reader"][0]), 403)):
        answer = httpx.post(f"{served.url}/file_parse", files=FILE, auth=auth, trust_env=False)
        assert answer.status_code == status


def test_probes_say_that_this_is_a_mineru_of_version_3(served: House):
    """RAGFlow looks at /openapi.json, without a key; Open WebUI takes a server with /v1/health for MinerU 4."""
    assert httpx.head(f"{served.url}/openapi.json", trust_env=False).status_code == 200
    described = httpx.get(f"{served.url}/openapi.json", trust_env=False).json()["paths"]["/file_parse"]["post"]
    fields = described["requestBody"]["content"]["multipart/form-data"]["schema"]["properties"]
    assert {"files", "return_md", "start_page_id", "end_page_id", "parse_method"} <= set(fields)
    for key in ("", KEYS["writer"][0]):
        answer = httpx.get(f"{served.url}/v1/health", headers={"X-API-Key": key}, trust_env=False)
        assert answer.status_code in (401, 404)
