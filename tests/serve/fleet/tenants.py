"""Tenants of a fleet: each sends its own documents, asks for them, and deletes them, as a patient client does."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from configs.api_keys import hash_of
from tests.serve.files import pdf, png
from tests.serve.fleet.cluster import wait_until

FINAL_STATUSES = ("succeeded", "partial", "failed", "cancelled")
# two of these are the title of a document; every tenant has one of each title, so that another's would fit as well
WORDS = (
    *("anchor", "barrel", "candle", "dragon", "engine", "falcon", "garden", "hammer", "island"),
    *("jacket", "kitten", "ladder", "magnet", "needle", "orange", "pepper", "rabbit"),
)
NUM_PAGES = 3  # of every tenth document; the others have one
RESENT = 10  # every so manieth upload is sent again


def title_of(number: int) -> str:
    """Of two words; of 136 no two have the same words."""
    first, step = number % len(WORDS), number // len(WORDS) + 1
    return f"{WORDS[first]} {WORDS[(first + step) % len(WORDS)]}".title()


@dataclass
class Document:
    """An upload, and what the server said of it."""

    number: int
    title: str
    content: bytes
    num_pages: int
    job_ids: set[str] = field(default_factory=set)

    @property
    def document_id(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class Tenant:
    """The documents of one namespace. All tenants have the bytes of their first document in common."""

    client: httpx.Client

    def __init__(self, name: str, num_documents: int) -> None:
        self.name = name
        self.key = f"pmk_{name}"
        self.documents = [self._document(number) for number in range(num_documents)]

    @property
    def key_entry(self) -> dict[str, Any]:
        """A row of the file of keys."""
        return {"name": self.name, "sha256": hash_of(self.key), "namespace": self.name}

    @contextlib.contextmanager
    def connected(self, url: str) -> Iterator[None]:
        """With a client of the server at `url`, until the block is left."""
        headers = {"Authorization": f"Bearer {self.key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=90, trust_env=False) as self.client:
            yield

    def send(self, document: Document) -> None:
        """Send it until it is taken."""

        def is_taken() -> bool:
            answer = self.patiently(
                "POST",
                "/v1/documents",
                files={"file": (f"{document.number}", document.content)},
                headers={"Idempotency-Key": f"{self.name} {document.number}"},
            )
            if answer.status_code not in (200, 202):
                return False
            document.job_ids.add(answer.json()["id"])
            return True

        if not wait_until(is_taken):
            raise TimeoutError(f"document {document.number} of {self.name} was not taken")

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs that the server has of it, without their pages."""
        return self.patiently("GET", "/v1/jobs", params={"limit": 1000}).json().get("jobs", [])

    def lost_or_doubled(self) -> list[str]:
        """What is not as it must be: each upload has one job, which has succeeded with each page once."""
        known = sorted(job["id"] for job in self.jobs())
        sent = sorted(job_id for document in self.documents for job_id in document.job_ids)
        faults = [] if known == sent else [f"{self.name}: {len(known)} jobs, not {len(sent)}"]
        for document in self.documents:
            for job_id in document.job_ids:
                job = self.patiently("GET", f"/v1/jobs/{job_id}").json()
                pages = [(page["number"], page["status"]) for page in job.get("pages", [])]
                expected = [(number + 1, "succeeded") for number in range(document.num_pages)]
                if (job.get("status"), job.get("document_id"), pages) != ("succeeded", document.document_id, expected):
                    faults.append(f"{self.name} {document.number}: {job}")
            if len(document.job_ids) != 1:
                faults.append(f"{self.name} {document.number} has the jobs {document.job_ids}")
        return faults

    def wrong_answers(self) -> list[str]:
        """Questions for a title to which its document is not the first answer, or another tenant's is any."""
        own = {document.document_id for document in self.documents}
        faults: list[str] = []
        for document in self.documents:
            for mode in ("full_text", "hybrid"):
                body = {"query": document.title, "mode": mode, "k": 10}
                passages = self.patiently("POST", "/v1/query", json=body).json()["passages"]
                ids = [passage["document_id"] for passage in passages]
                if not own.issuperset(ids):
                    faults.append(f"{self.name} finds what is not its own by {document.title!r} ({mode})")
                if document.document_id not in (ids[:1] if mode == "full_text" else ids):
                    faults.append(f"{self.name} does not find {document.title!r} ({mode})")
        return faults

    def delete_all(self) -> None:
        for document in self.documents:
            answer = self.patiently("DELETE", f"/v1/documents/{document.document_id}")
            assert answer.status_code in (204, 404), answer.text  # 404: it was done, and the answer got lost

    def patiently(self, method: str, path: str, **request: Any) -> httpx.Response:
        """The answer, once the server gives one that is not its own trouble."""
        answers: list[httpx.Response] = []

        def answered() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                answer = self.client.request(method, path, **request)
                if answer.status_code < 500 and answer.status_code != 429:
                    answers.append(answer)
            return bool(answers)

        if not wait_until(answered):
            raise TimeoutError(f"{method} {path} was not answered")
        return answers[0]

    def _document(self, number: int) -> Document:
        title = title_of(number)
        heading = f"{title}, {self.name.title()}" if number else title
        num_pages = NUM_PAGES if number % 10 == 0 else 1
        content = png(heading) if number % 12 == 5 else pdf(num_pages, title=heading)
        return Document(number, title, content, num_pages)
