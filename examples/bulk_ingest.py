"""Ray Data over a folder or bucket of documents: one row of Parquet a document, and run again it goes on.

    python examples/bulk_ingest.py papers/ out/           # or s3://bucket/papers s3://bucket/out

Bytes are read only for documents inside an actor's window, a full server is waited for, and a document has a row as
soon as its block is written. What could not be read for a reason that may pass gets none: the next run takes it up.
One run at a time writes to a place.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import fs, parquet

from examples.graph import connect, disconnect

ENDINGS = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
SOME_MISSING = 3  # the exit code, as of `pagemill ingest`
SHARE = 0.1  # of a core: these tasks wait, and the graph has reserved most of a small machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="folder, or URL of a bucket")
    parser.add_argument("out", help="folder or URL of the Parquet files")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--window", type=int, default=8, help="documents that an actor has on their way at once")
    parser.add_argument("--actors", type=int, default=1)
    args = parser.parse_args()
    connect(args.data_dir)
    summary = run(args.source, args.out, window=args.window, actors=args.actors)
    disconnect()
    print(json.dumps(summary))
    sys.exit(SOME_MISSING if summary["left"] else 0)


def run(source: str, out: str, *, window: int, actors: int) -> dict[str, int]:
    """Counts of documents: `found`, `done` before, `written` now, `left` without a row."""
    import ray  # after connecting, as everything that imports it

    from examples.bulk_actor import Ingest

    files, before = documents(source), rows(out)
    todo = [{"path": path, "size": size} for path, size in sorted(files - before)]
    if todo:
        ray.data.DataContext.get_current().enable_progress_bars = sys.stderr.isatty()
        planned = ray.data.from_items(todo, override_num_blocks=math.ceil(len(todo) / window)).map_batches(
            Ingest,
            fn_constructor_args=(_place(source)[0], window),
            batch_size=window,
            batch_format="pyarrow",
            num_cpus=SHARE,
            compute=ray.data.ActorPoolStrategy(size=actors),
        )
        planned.write_parquet(out, ray_remote_args={"num_cpus": SHARE})
    left = files - rows(out)
    return {"found": len(files), "done": len(files & before), "written": len(todo) - len(left), "left": len(left)}


def documents(source: str) -> set[tuple[str, int]]:
    """Path and size in bytes of each document below the source."""
    system, root = _place(source)
    entries = system.get_file_info(fs.FileSelector(root, recursive=True))
    return {(entry.path, entry.size) for entry in entries if entry.is_file and entry.path.lower().endswith(ENDINGS)}


def rows(out: str) -> set[tuple[str, int]]:
    """Path and size of each document that has a row; a file that a killed run cut off is removed, so it has none."""
    system, root = _place(out)
    row_keys: set[tuple[str, int]] = set()
    for entry in system.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True)):
        if not entry.path.endswith(".parquet"):
            continue
        with system.open_input_file(entry.path) as content:
            try:
                file = parquet.ParquetFile(content)
            except pa.ArrowInvalid:
                system.delete_file(entry.path)
                continue
            if {"path", "size"} <= set(file.schema_arrow.names):  # else somebody else's
                row_keys |= {(row["path"], row["size"]) for row in file.read(["path", "size"]).to_pylist()}
    return row_keys


def _place(place: str) -> tuple[fs.FileSystem, str]:
    return fs.FileSystem.from_uri(place if "://" in place else Path(place).resolve().as_uri())


if __name__ == "__main__":
    main()
