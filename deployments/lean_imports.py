"""Ray Serve without pandas, which it imports in each of its processes only to write a DataFrame as JSON: 30 MB each.

Everyone else's `import pandas` works as ever, also later in the same process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

IMPORTER, UNWANTED = "ray.serve._private.utils", "pandas"


def install() -> None:
    """From now on, in this process; Ray's workers call it when they start (`pagemill.ray_environment`).

    Without effect where Serve or pandas is imported already.
    """
    if IMPORTER not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Knows the one module that imports what is unwanted."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != IMPORTER or UNWANTED in sys.modules:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Another loader's module, run while the unwanted one cannot be imported."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[UNWANTED] = None  # pyright: ignore[reportArgumentType]  # as the import system marks what is absent
        try:
            self._loader.exec_module(module)
        finally:
            del sys.modules[UNWANTED]


if __name__ == "__main__":  # the command of `deployments.own_ray`, itself without pandas
    install()
    from deployments.own_ray import main

    main()
