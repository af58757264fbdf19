"""Where the settings store uploads, and how a renderer opens them."""

from __future__ import annotations

from configs import Settings
from deployments.storage.blob_cache import BlobCache
from deployments.storage.blobs import BlobStore
from deployments.storage.bucket import Bucket
from deployments.storage.bucket_blobs import BucketBlobs
from deployments.storage.folder_blobs import FolderBlobs
from documents.sandbox.local_files import LocalPath, on_this_machine


def configured_blobs(settings: Settings) -> BlobStore:
    """In the bucket of `blobs.uri`, or in the data folder."""
    bucket = _bucket(settings)
    return FolderBlobs(settings.blob_dir) if bucket is None else BucketBlobs(bucket)


def local_blobs(settings: Settings) -> LocalPath:
    """How a renderer finds the files of the store on its own machine."""
    bucket = _bucket(settings)
    if bucket is None:
        return on_this_machine
    limits = settings.blobs
    return BlobCache(bucket, settings.blob_cache_dir, limits.cache_mb * 1_000_000, limits.cache_s).local_path


def _bucket(settings: Settings) -> Bucket | None:
    where = settings.blobs
    return None if where.uri is None else Bucket(where.uri, where.storage_options)
