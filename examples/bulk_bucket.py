"""Documents of an S3 bucket, whose keys are listed page by page and are read as they are."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from minio import Minio  # pyright: ignore[reportMissingImports]
from minio.credentials.providers import (  # pyright: ignore[reportMissingImports]
    AWSConfigProvider,
    ChainedProvider,
    EnvAWSProvider,
    IamAwsProvider,
    Provider,
    StaticProvider,
)
from minio.error import MinioException, S3Error  # pyright: ignore[reportMissingImports]
from urllib3.exceptions import HTTPError

from examples.bulk_source import ENDINGS, Document

MAX_LISTING_ATTEMPTS = 5
PAUSE_S = 2.0  # before a second attempt; each further pause is twice as long
MISSING_CODES = frozenset({"NoSuchKey", "NoSuchBucket"})


class BucketSource:
    """A folder of an S3 bucket; endpoint and keys are those of the URL as pyarrow reads it, else of the environment."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        scheme, _, host = os.environ.get("AWS_ENDPOINT_URL", "").rstrip("/").rpartition("://")
        self._bucket = parts.hostname or ""
        self._prefix = f"{folder}/" if (folder := unquote(parts.path).strip("/")) else ""
        self._client = Minio(
            options.get("endpoint_override") or host or "s3.amazonaws.com",
            secure=options.get("scheme", scheme) != "http",
            region=options.get("region") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
            credentials=_keys(parts.username, parts.password),
        )

    def documents(self) -> Iterator[Document]:
        """Also after an outage: the listing goes on behind the last key."""
        last: str | None = None
        attempts = 0
        while True:
            try:
                with _as_os_errors():
                    for entry in self._client.list_objects(
                        self._bucket, prefix=self._prefix, recursive=True, start_after=last
                    ):
                        last = entry.object_name
                        attempts = 0
                        assert last is not None
                        if last.lower().endswith(ENDINGS):
                            yield Document(f"{self._bucket}/{last}", entry.size or 0)
                return
            except FileNotFoundError:
                raise
            except OSError:
                attempts += 1
                if attempts == MAX_LISTING_ATTEMPTS:
                    raise
                time.sleep(PAUSE_S * 2 ** (attempts - 1))

    def content(self, path: str) -> bytes:
        with _as_os_errors(), contextlib.closing(self._client.get_object(self._bucket, self._key(path))) as answer:
            return answer.read()

    def _key(self, path: str) -> str:
        return path.removeprefix(f"{self._bucket}/")


def _keys(name: str | None, secret: str | None) -> Provider:
    """Those of the URL, or of the environment, the user's files or the machine."""
    if name and secret:
        return StaticProvider(unquote(name), unquote(secret))
    return ChainedProvider([EnvAWSProvider(), AWSConfigProvider(), IamAwsProvider()])


@contextlib.contextmanager
def _as_os_errors() -> Iterator[None]:
    try:
        yield
    except S3Error as error:
        kind = FileNotFoundError if error.code in MISSING_CODES else OSError
        raise kind(f"{error.code}: {error.message}") from None
    except (MinioException, HTTPError) as error:
        raise OSError(str(error)) from None
