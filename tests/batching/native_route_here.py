"""NATIVE: the native route as a test's parameter, skipped where this machine cannot have it."""

import pytest

from batching.native.library import library

NATIVE = pytest.param("native", marks=pytest.mark.skipif(library() is None, reason="no compiler, or no AVX2"))
