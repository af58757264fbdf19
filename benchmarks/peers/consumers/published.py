"""The loaders of Open WebUI and RAGFlow as they were published, for a Python that has what they themselves need.

What their modules import beside the loader (web frameworks, other engines, settings of the whole program) is replaced;
the loader itself is unchanged. Nothing here imports the rest of Pagemill, which that Python does not have.
"""

import importlib.abc
import importlib.machinery
import sys
import types
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

REPLACED = ("fastapi", "azure", "bs4", "common", "deepdoc", "validators", "jwt", "playwright", "open_webui")
RAGFLOW_BASE = "deepdoc.parser.pdf_parser"
# settings, database and sign-on of the whole program: importing them would start it
OPEN_WEBUI_PROGRAM = (
    "jwt",
    "open_webui.env",
    "open_webui.models",
    "open_webui.models.groups",
    "open_webui.utils.oauth",
)
SETTINGS = {
    "AIOHTTP_CLIENT_SESSION_SSL": True,
    "GLOBAL_LOG_LEVEL": "INFO",
    "USE_SLIM": True,
    "MAXIMUM_PAGE_NUMBER": 100_000,  # RAGFlow's own name for "to the end"
    "extract_pdf_outlines": lambda _: [],
}


class Replacements(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what no other finder has found, of the packages beside the loaders."""

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if fullname.split(".")[0] in REPLACED:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return stand_in(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def stand_in(name: str) -> types.ModuleType:
    """A module that has every name."""
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: SETTINGS.get(attribute) or MagicMock(name=attribute)  # type: ignore[method-assign]
    return module


def replace_the_rest() -> None:
    """Before anything of the loaders is imported."""
    sys.meta_path.append(Replacements())


def open_webui_loader(folder: str, module: str, name: str) -> Any:
    """The class `name` of `open_webui.retrieval.loaders.{module}`; `folder` holds the package `open_webui`."""
    package = types.ModuleType("open_webui")  # without the code of its __init__, which starts the program
    package.__path__ = [str(Path(folder) / "open_webui")]
    sys.modules["open_webui"] = package
    sys.modules.update({name_of_rest: stand_in(name_of_rest) for name_of_rest in OPEN_WEBUI_PROGRAM})
    return getattr(importlib.import_module(f"open_webui.retrieval.loaders.{module}"), name)


def ragflow_parser(folder: str, module: str, name: str) -> Any:
    """The class `name` of RAGFlow's `deepdoc/parser/{module}.py`, which lies in `folder`."""
    base = types.ModuleType(RAGFLOW_BASE)
    base.RAGFlowPdfParser = object  # type: ignore[attr-defined]
    sys.modules[RAGFLOW_BASE] = base
    sys.path.insert(0, folder)
    return getattr(importlib.import_module(module), name)
