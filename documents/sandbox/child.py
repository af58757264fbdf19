"""The main loop of the sandboxed child process: opens a file, answers requests."""

from __future__ import annotations

import errno
import faulthandler
import gc
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from typing import BinaryIO, Protocol

import cv2
import numpy as np

from documents.boxes import BoundingBox
from documents.draft.text_source import Layer, Wanted, must_stand_straight
from documents.errors import ImageTooLarge, IngestError, PageFailed, UnreadableDocument
from documents.inspection import Inspection
from documents.media_types import PDF, TEXT_TYPES
from documents.office.office_file import OfficeFile
from documents.office.packages.text_decoding import load_codecs
from documents.office.pdf_with_files import PdfWithFiles
from documents.page.picture_need import PictureEvidence, picture_evidence
from documents.pdf.image_file import ImageFile
from documents.render_limits import RenderLimits
from documents.rotated_boxes import page_turn
from documents.sandbox import confinement, cutting_call, framing, structure_call
from documents.sandbox.child_failures import EXIT_OUT_OF_MEMORY
from documents.segments.packed_features import packed_segments
from documents.straighten.pose import Pose
from documents.straighten.straight_page import StraightPage, WholePage, find_pose
from documents.tables.judged.weights import cell_judge
from documents.values import Opened, Source

NO_FILE = "the file is damaged: it cannot be opened"
NO_PAGE = "the page is damaged: it cannot be drawn or read"
# no document is the cause of these
MACHINE_ERRORS = (errno.EIO, errno.ESTALE, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
MAX_DETAIL_CHARACTERS = 500  # maximum length of a parser's message
# objects before cycles are collected: a page's characters are thousands of objects, without cycles
GC_THRESHOLD = 100_000
CONTAINER_TYPES = (OfficeFile, PdfWithFiles)  # files that may contain others
Reply = tuple[framing.Header, bytes | memoryview]
ANSWERS = {**dict.fromkeys(structure_call.NAMES, structure_call.answer), cutting_call.NAME: cutting_call.answer}


class OpenFile(Protocol):
    """A document that is open in this process."""

    def opened(self) -> Opened: ...
    def inspect(self, number: int) -> Inspection: ...
    def fingerprint(self, number: int) -> str | None: ...
    def picture(
        self, number: int, long_side: int | None, dpi: float | None, box: BoundingBox | None, angle: int
    ) -> np.ndarray: ...
    def whole(self, number: int) -> WholePage: ...
    def close(self) -> None: ...


class Desk:
    """Holds the one document that was asked for last; the next call for it need not open it again."""

    def __init__(self, limits: RenderLimits) -> None:
        self._limits = limits
        self._key: tuple[object, ...] | None = None
        self._file: OpenFile | None = None
        self._straight: tuple[str | None, int, StraightPage] | None = None  # part, number
        self._inspected: tuple[str | None, int, Inspection] | None = None  # of a page that will be straightened

    def answer(self, request: framing.Header, file: BinaryIO) -> Reply:
        """The reply to one request about the open `file`, which is ours now; every fault of it becomes a named error.

        Its message is ours alone; what a parser says, which may name paths of this machine, goes beside it as detail.
        """
        try:
            return self._answer(request, file)
        except IngestError as error:
            return _refusal(error, error.__cause__), b""
        except MemoryError:
            return {**_refusal(ImageTooLarge("it needs more memory than allowed"), None), "worn": True}, b""
        except ImportError:  # nothing can be loaded behind the walls: our own fault, which ends this child
            raise
        except Exception as error:  # whatever the parsers raise on outside bytes
            if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
                raise
            wrong = UnreadableDocument(NO_FILE) if request["call"] == "open" else PageFailed(NO_PAGE)
            return {**_refusal(wrong, error), "worn": "alloc" in str(error)}, b""

    def _answer(self, request: framing.Header, opened: BinaryIO) -> Reply:
        source = Source.model_validate(request["source"])
        file = self._open(source.model_copy(update={"part": None}), opened)
        if request["call"] == "authored":
            page = file.authored(request["number"]) if isinstance(file, CONTAINER_TYPES) else None
            content = b"" if page is None else structure_call.deliverable(page.model_dump_json().encode())
            return {"ok": {"is_printed": page is None}}, content
        if request["call"] == "attachment":
            if not isinstance(file, CONTAINER_TYPES):
                raise PageFailed("pictures have no attachments")
            return {"ok": {}}, file.attachment(request["attachment"])
        if source.part is not None:
            file = _part(file, source.part)
        if request["call"] == "open":
            return {"ok": file.opened().model_dump(mode="json")}, b""
        number = request["number"]
        if request["call"] == "fingerprint":
            return {"ok": file.fingerprint(number)}, b""
        if request["call"] == "pose":
            return {"ok": find_pose(file.whole(number)).model_dump(mode="json")}, b""
        straight = self._straightened(file, source.part, number, request.get("pose"))
        if request["call"] == "inspect":
            return self._inspection(file, source.part, number, straight, request["text_source"])
        box = BoundingBox.model_validate(request["box"]) if request["box"] else None
        picture_options = (request["long_side"], request["dpi"], box, request["angle"])
        picture = (
            straight.picture(*picture_options)
            if straight and not straight.same
            else file.picture(number, *picture_options)
        )
        picture = np.ascontiguousarray(picture)
        return {"ok": {"shape": picture.shape}}, picture.data.cast("B")

    def _inspection(
        self, file: OpenFile, part: str | None, number: int, straight: StraightPage | None, text_source: Wanted
    ) -> Reply:
        last, self._inspected = self._inspected, None
        if straight is not None:
            plain = last[2] if last is not None and last[:2] == (part, number) else file.inspect(number)
            return _inspected(straight.inspection(plain), plain, PictureEvidence(), must_stand_straight=False, turn=0)
        inspection = file.inspect(number)
        layer = Layer(inspection)
        must_stand = must_stand_straight(layer, text_source)
        if must_stand:
            self._inspected = part, number, inspection
        evidence = PictureEvidence() if must_stand else _evidence(inspection, layer)
        turn = page_turn(inspection.lines)
        return _inspected(inspection, inspection, evidence, must_stand_straight=must_stand, turn=turn)

    def _straightened(
        self, file: OpenFile, part: str | None, number: int, pose: framing.Header | None
    ) -> StraightPage | None:
        if pose is None:
            return None
        requested_pose = Pose.model_validate(pose)
        if self._straight is None or self._straight[:2] != (part, number) or self._straight[2].pose != requested_pose:
            self._straight = None
            self._straight = part, number, StraightPage(file.whole(number), requested_pose, self._limits.max_pixels)
        return self._straight[2]

    def _open(self, source: Source, file: BinaryIO) -> OpenFile:
        stat = os.fstat(file.fileno())
        key = (source, stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size)
        if self._file is not None and self._key == key:
            file.close()
            return self._file
        self._drop()
        printed = PdfWithFiles if source.media_type == PDF else ImageFile
        kind = OfficeFile if source.media_type in TEXT_TYPES else printed
        try:
            self._file = kind(source, self._limits, file)
        except BaseException:
            file.close()
            raise
        self._key = key
        return self._file

    def _drop(self) -> None:
        file, self._file, self._key, self._straight, self._inspected = self._file, None, None, None, None
        if file is not None:
            file.close()
            del file
            gc.collect()  # what its pages left is free before the next one comes


def _part(file: OpenFile, name: str) -> OpenFile:
    """A picture inside an open document, which is then the document."""
    if not isinstance(file, CONTAINER_TYPES):
        raise PageFailed("pictures have no parts")
    return file.part(name)


def _evidence(inspection: Inspection, layer: Layer) -> PictureEvidence:
    try:
        return picture_evidence(inspection, layer)
    except Exception:  # a page on which this fails is looked at, and not lost
        return PictureEvidence()


def _inspected(
    inspection: Inspection, plain: Inspection, evidence: PictureEvidence, *, must_stand_straight: bool, turn: int
) -> Reply:
    """`plain` is the page as the file shows it."""
    segments = packed_segments(inspection)
    facts = {
        "size": (plain.width, plain.height),
        "must_stand_straight": must_stand_straight,
        "turn": turn,
        "picture": evidence.model_dump(mode="json"),
        "num_feature_bytes": len(segments),
    }
    return {"ok": facts}, segments + inspection.model_dump_json(exclude_defaults=True).encode()


def _refusal(error: IngestError, cause: BaseException | None) -> framing.Header:
    detail = f"{type(cause).__name__}: {str(cause)[:MAX_DETAIL_CHARACTERS]}" if cause else ""
    return {"error": {"code": error.code, "message": error.message, "detail": detail}}


def main() -> None:
    cv2.setNumThreads(1)
    load_codecs()
    cell_judge()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    limits, parent_pid = RenderLimits(**json.loads(sys.argv[1])), int(sys.argv[2])
    files = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=int(sys.argv[3]))
    inside = confinement.enter(limits.memory_bytes, parent_pid, limits.niceness)
    faulthandler.enable(inside.last_words, all_threads=False)
    try:
        serve(inside, files, limits)
    except MemoryError:
        os._exit(EXIT_OUT_OF_MEMORY)
    except BaseException:
        traceback.print_exc(file=inside.last_words)
        inside.last_words.flush()
        raise


def serve(inside: confinement.Sandbox, files: socket.socket, limits: RenderLimits) -> None:
    """Answer requests until there are no more."""

    def say(header: framing.Header, payload: bytes | memoryview = b"") -> None:
        for piece in framing.packed(header, payload):
            inside.replies.write(piece)
        inside.replies.flush()

    desk = Desk(limits)
    say({"ready": asdict(limits), "walls": inside.walls})
    while (message := framing.read_message(inside.requests)) is not None:
        request, content = message
        if request["call"] in ANSWERS:
            header, payload = _answer_without_file(request, content, say)
        else:
            header, payload = desk.answer(request, framing.receive_file(files))
        worn = header.get("worn", False) or inside.memory.resident_bytes() > limits.resident_bytes
        say({**header, "worn": worn}, payload)


def _answer_without_file(request: framing.Header, content: bytes, say: Callable[[framing.Header], None]) -> Reply:
    try:
        return ANSWERS[request["call"]](request, content, say)
    except IngestError as error:
        return {**_refusal(error, error.__cause__), "worn": True}, b""


if __name__ == "__main__":
    main()
