"""What people hold in hand: the Python client and the command line. They speak HTTP to a server and import no Ray."""

from pagemill.async_client import AsyncClient
from pagemill.client import Client
from pagemill.errors import PagemillError, Refused, Unreachable
from pagemill.http.client_retries import Retries
from pagemill.http.response_parsing import Result
from pagemill.partial_page import PartialPage
from pagemill.stored_extraction import StoredExtraction
from pagemill.values import Answer, Chunk, Event, ExtractedField, Extraction, Job, Options, Passage, Problem

__all__ = [
    "Answer",
    "AsyncClient",
    "Chunk",
    "Client",
    "Event",
    "ExtractedField",
    "Extraction",
    "Job",
    "Options",
    "PagemillError",
    "PartialPage",
    "Passage",
    "Problem",
    "Refused",
    "Result",
    "Retries",
    "StoredExtraction",
    "Unreachable",
]
