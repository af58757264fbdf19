"""A folder of an S3 bucket, through pyarrow: what goes wrong there is BlobStoreAway, or FileNotFoundError."""

from __future__ import annotations

import contextlib
import copy
import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from deployments.errors import BlobStoreAway

if TYPE_CHECKING:
    from pyarrow import NativeFile
    from pyarrow.fs import FileInfo

logger = logging.getLogger("ray.serve")
CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 30


class Bucket:
    """Keys are relative to the URL. Its methods block and may be called in any thread."""

    def __init__(self, url: str, options: Mapping[str, str]) -> None:
        """`options`: as `blobs.storage_options`; without keys there, those of the environment or the machine."""
        from pyarrow import fs  # 50 MB, which only who stores in a bucket needs

        endpoint = options.get("endpoint", "")
        scheme, _, host = endpoint.rpartition("://")
        self.url = url.rstrip("/")
        self._base = _path_of(self.url)
        self._fs = fs
        self._files = fs.S3FileSystem(
            access_key=options.get("aws_access_key_id"),
            secret_key=options.get("aws_secret_access_key"),
            session_token=options.get("aws_session_token"),
            region=options.get("region"),
            endpoint_override=host or None,
            scheme=scheme or None,
            force_virtual_addressing=options.get("virtual_hosted_style_request") == "true",
            connect_timeout=CONNECT_TIMEOUT_S,
            request_timeout=READ_TIMEOUT_S,
            background_writes=False,  # else parts of a fast upload pile up in memory
            allow_delayed_open=True,  # a small file is one request
        )

    def below(self, folder: str) -> Bucket:
        """A folder of this one."""
        bucket = copy.copy(self)
        bucket.url = f"{self.url}/{folder}"
        bucket._base = _path_of(bucket.url)
        return bucket

    def url_of(self, key: str) -> str:
        return f"{self.url}/{key}"

    def key_of(self, url: str) -> str:
        return url.removeprefix(f"{self.url}/")

    def write(self, key: str) -> NativeFile:
        """A new file, there once it is closed; it is sent in parts of 10 MB."""
        return self._files.open_output_stream(self._path(key))

    def read(self, key: str) -> NativeFile:
        """A file, to be read anywhere; each read is a request."""
        with bucket_errors():
            return self._files.open_input_file(self._path(key))

    def size(self, key: str) -> int:
        """The bytes of a file. Raises FileNotFoundError."""
        with bucket_errors():
            info = self._files.get_file_info(self._path(key))
        if not info.is_file:
            raise FileNotFoundError(key)
        return info.size

    def copy_from(self, url: str, key: str) -> None:
        """Copy a file of any bucket of the service, which moves the bytes itself."""
        with bucket_errors():
            self._files.copy_file(_path_of(url), self._path(key))

    def delete(self, key: str) -> None:
        """Delete a file, if it is there."""
        with bucket_errors(), contextlib.suppress(FileNotFoundError):
            self._files.delete_file(self._path(key))

    def listed(self, folder: str) -> list[FileInfo]:
        """The files of a folder; none, if it is not there."""
        with bucket_errors():
            infos = self._files.get_file_info(self._fs.FileSelector(self._path(folder), allow_not_found=True))
        return [info for info in infos if info.is_file]

    def check(self) -> None:
        """Raises BlobStoreAway where the bucket does not answer."""
        with bucket_errors():
            name = self._base.partition("/")[0]
            if self._files.get_file_info(name).type == self._fs.FileType.NotFound:
                raise OSError(f"there is no bucket {name}")

    def _path(self, key: str) -> str:
        return f"{self._base}/{key}"


def _path_of(url: str) -> str:
    return url.removeprefix("s3://")


@contextlib.contextmanager
def bucket_errors() -> Iterator[None]:
    """Raises BlobStoreAway in the place of what pyarrow raises; that a file is not there stays FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:  # the words name the bucket and the endpoint: they are for the log
        logger.warning("the storage of uploads: %s", error)
        raise BlobStoreAway("the storage of uploads does not answer") from None
