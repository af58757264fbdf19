"""Open WebUI's loader of the engine External, as it is: run by a Python with its package, without what that depends on.

`python open_webui_client.py URL KEY FILE...` prints, as JSON, the documents that it made of each file, or its error.
"""

import importlib.util
import json
import sys
import types

# settings, database and sign-on of the whole program, which the loader's headers name and do not use without a user
ABSENT = ("jwt", "open_webui.env", "open_webui.models", "open_webui.models.groups", "open_webui.utils.oauth")


def main(url: str, key: str, *files: str) -> None:
    """Load each file."""
    package = types.ModuleType("open_webui")  # without the code of its __init__, which starts the program
    spec = importlib.util.find_spec("open_webui")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["open_webui"] = package
    for name in ABSENT:
        stand_in = types.ModuleType(name)
        stand_in.__getattr__ = lambda _: None
        sys.modules[name] = stand_in
    from open_webui.retrieval.loaders.external_document import ExternalDocumentLoader

    report = []
    for file in files:
        try:
            documents = ExternalDocumentLoader(file, url, key).load()
            report.append([{"text": document.page_content, **document.metadata} for document in documents])
        except Exception as error:  # it raises no other
            report.append(str(error))
    sys.stdout.write(json.dumps(report))


main(*sys.argv[1:])
