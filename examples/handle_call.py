"""From a Ray driver: ingest one file by handle, and ask the layout network about one picture.

`python -m examples.handle_call FILE [--data-dir ./data]`, beside a running `make serve`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from documents.values import Page
from examples.graph import connect, deployment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--data-dir", type=Path)
    args = parser.parse_args()
    print(json.dumps(use(args.file, args.data_dir)))


def use(file: Path, data_dir: Path | None) -> dict[str, object]:
    """What the graph beside `data_dir` makes of one file, as counts."""
    connect(data_dir)
    jobs = deployment("Jobs")
    job = jobs.submit.remote(file.read_bytes(), file_name=file.name).result(timeout_s=60)
    job = jobs.wait.remote(job.id).result(timeout_s=600)

    layout = deployment("Layout")
    picture = np.full((640, 480, 3), 255, np.uint8)
    picture[100:160, 60:420:2] = 0  # a dark band on white: something to find
    regions = layout.detect.remote(picture).result(timeout_s=60)

    _, _, numbers = jobs.facts.remote(job.id).result(timeout_s=60)
    texts = jobs.page_texts.remote(job.id, numbers).result(timeout_s=60)  # of a long document: a few at a time
    pages = [Page.model_validate_json(text) for text in texts]
    return {
        "status": job.status,
        "pages": len(pages),
        "failed": [page.number for page in job.pages if page.status == "failed"],
        "regions": sum(len(page.regions) for page in pages),
        "regions_of_picture": len(regions),
    }


if __name__ == "__main__":
    main()
