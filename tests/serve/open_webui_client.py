"""Open WebUI's loader of the engine External, as it is: run by a Python with its package, without what that depends on.

`python open_webui_client.py URL KEY FILE...` prints, as JSON, the documents that it made of each file, or its error.
"""

import importlib.util
import json
import sys
from pathlib import Path

from benchmarks.peers.consumers.published import open_webui_loader, replace_the_rest


def main(url: str, key: str, *files: str) -> None:
    """Load each file."""
    replace_the_rest()
    spec = importlib.util.find_spec("open_webui")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = spec.submodule_search_locations[0]
    loader = open_webui_loader(str(Path(package).parent), "external_document", "ExternalDocumentLoader")
    report = []
    for file in files:
        try:
            documents = loader(file, url, key).load()
            report.append([{"text": document.page_content, **document.metadata} for document in documents])
        except Exception as error:  # it raises no other
            report.append(str(error))
    sys.stdout.write(json.dumps(report))


main(*sys.argv[1:])
