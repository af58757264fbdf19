"""Errors of calls between deployments, and the tree of all errors that a client can see.

Refusal
├── BodyTooLarge                  413  body_too_large
├── Busy                          503  full
│   ├── BlobStoreAway             503  blob_store_away
│   ├── DatabaseAway              503  full
│   ├── DiskFull                  507  disk_full
│   ├── InOtherShard              503  in_other_shard
│   ├── IndexAway                 503  index_away
│   └── QueueFull                 503  full
│       └── QuotaExceeded         429  quota_exceeded
├── Cancelled                     409  cancelled
├── DatabaseDamaged               500  database_damaged
├── ExtractionRefused             422
├── Forbidden                     403  forbidden
├── FormNotTaken                  415  unsupported_media_type
├── HeadersTooLarge               431  headers_too_large
├── IdempotencyConflict           422  idempotency_key_reused
├── IndexMismatch                 409  reindex_required
├── IngestError                   422  ingest_failed
│   ├── ColorUnavailable          422  color_unavailable
│   ├── EmptyFile                 400  empty_file
│   ├── EncryptedDocument         422  encrypted_document
│   ├── FileTooLarge              413  file_too_large
│   ├── ImageTooLarge             413  image_too_large
│   ├── Lost                      422  replica_lost
│   ├── MetadataTooLarge          422  metadata_too_large
│   ├── NoExtractableText         422  no_extractable_text
│   ├── NoPages                   422  no_pages
│   ├── PageFailed                422  page_failed
│   ├── PageNotDrawn              422  page_not_drawn
│   ├── PageTimeout               504  page_timeout
│   ├── PageTooCostly             422  page_too_costly
│   ├── PatchesUnavailable        422  patches_unavailable
│   ├── PictureTooLarge           422  picture_too_large
│   ├── RegionTooDense            413  region_too_dense
│   ├── RegionUnread              422  region_unread
│   ├── RendererUnavailable       503  renderer_unavailable
│   ├── SecondReaderUnavailable   422  second_reader_unavailable
│   ├── TooLargeUnpacked          422  unpacks_too_large
│   ├── TooManyPages              413  too_many_pages
│   ├── UnreadableDocument        422  unreadable_document
│   └── UnsupportedMedia          415  unsupported_media_type
├── Internal                      500  internal
├── InvalidSchema                 422  invalid_schema
├── JobFailed                     422
├── Malformed                     400  malformed_request
├── ModelNotConfigured            503  no_model
├── NoEmbedder                    409  no_embedder
├── NoMetrics                     503  no_metrics
├── NoResult                      404  no_result
├── NoSuchTask                    404  not_found
├── NotFound                      404  not_found
│   ├── UnknownDocument           404  not_found
│   ├── UnknownExtraction         404  not_found
│   └── UnknownJob                404  not_found
├── NotReady                      409  not_ready
├── ReplicaDied                   503  replica_lost
├── RevisionGone                  410  revision_gone
├── ShardsMissing                 500  shards_missing
├── SourceRefused                 422  source_refused
├── SourceUnavailable             422  source_unavailable
├── Stalled                       408  stalled
├── TooSlow                       504  wait_exceeded
├── Unauthorized                  401  unauthorized
├── UnknownKnowledge              404  unknown_knowledge
├── UnknownModel                  404  model_not_found
├── UnknownOption                 422  invalid_option
├── WebhookRefused                422  webhook_refused
└── WriterFailed                  502
    └── WriterBusy                503  writer_busy

Classes without a code, and some others, have it on their instances: `Lost("...", code="still_busy")`.
`batching` knows no other room: BATCHING_CODES names what its errors are here.
"""

from __future__ import annotations

import logging
from http import HTTPStatus

from batching.errors import BatchingError, InvalidGuide, RequestRefused
from documents.errors import IngestError, Refusal

BATCHING_CODES: dict[type[BatchingError], str] = {InvalidGuide: "invalid_schema", RequestRefused: "prompt_refused"}


def refusal_of(error: BaseException) -> Refusal:
    """An error as a client sees it."""
    if isinstance(error, Refusal):
        return error
    code = next((code for kind, code in BATCHING_CODES.items() if isinstance(error, kind)), None)
    return Internal() if code is None else Refusal(str(error), code=code)


class Internal(Refusal):
    """An error of ours, of which a client sees nothing."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal"
    retryable = True
    wording = "internal error; the server's log has the stack trace"


class Busy(Refusal):
    """There is no room now: no replica, slot or place in a queue; the same call may succeed later."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "full"
    retryable = True
    log_level = logging.WARNING


class QueueFull(Busy):
    """As many jobs are unfinished as the settings allow."""


class QuotaExceeded(QueueFull):
    """As many jobs are unfinished, or calls made in a minute, as this key allows."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "quota_exceeded"
    log_level = None


class DatabaseAway(Busy):
    """The job database does not answer now; what was asked of it may have been done all the same."""


class SourceRefused(Refusal):
    """An address that must not be fetched, or fetching at all where the settings do not allow it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "source_refused"


class SourceUnavailable(Refusal):
    """An address that does not answer with a document."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "source_unavailable"
    retryable = True


class BlobStoreAway(Busy):
    """The object storage of the uploads does not answer now, or refuses our keys."""

    code = "blob_store_away"


class IndexAway(Busy):
    """The storage of the index does not answer now, or refuses our keys."""

    code = "index_away"


class InOtherShard(Busy):
    """The document is another shard's, whose owner takes its revisions: a handle that knows of it may have it taken."""

    code = "in_other_shard"

    def __init__(self, shard: int) -> None:
        super().__init__(f"the document is of shard {shard}")
        self.shard = shard

    def __reduce__(self) -> tuple[type[InOtherShard], tuple[int]]:
        return type(self), (self.shard,)


class DiskFull(Busy):
    """There is no room to write; what is under way waits, and goes on where room is made."""

    status = HTTPStatus.INSUFFICIENT_STORAGE
    code = "disk_full"
    wording = "the server's disk is full; deleting documents frees space"


class ReplicaDied(Refusal):
    """The replica that held the call is gone; another one may take the call again."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "replica_lost"
    retryable = True
    log_level = logging.WARNING
    wording = "the process that handled the call has died; another one is starting"


class Lost(IngestError):
    """Work is given up: every replica that took it died over it, or all were full for too long (`still_busy`)."""

    code = "replica_lost"
    retryable = True


class DatabaseDamaged(Refusal):
    """The file of the job database is no database any more, or parts of it are not."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "database_damaged"
    log_level = logging.ERROR


class ShardsMissing(Refusal):
    """The job database has more shards than the settings say, or fewer, and no further schema may be created."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "shards_missing"
    log_level = logging.ERROR


class IdempotencyConflict(Refusal):
    """An Idempotency-Key came again with another upload."""

    code = "idempotency_key_reused"


class NotFound(Refusal):
    """Nothing of this id in this namespace."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class UnknownJob(NotFound):
    """No job of this id in this namespace."""

    wording = "there is no job {}"


class UnknownExtraction(NotFound):
    """No extraction of this id in this namespace."""

    wording = "there is no extraction {}"


class UnknownDocument(NotFound):
    """No document of this id in this namespace."""

    wording = "there is no document {}"


class RevisionGone(Refusal):
    """An earlier revision of a document that was deleted, as newer ones are there."""

    status = HTTPStatus.GONE
    code = "revision_gone"
