# SPDX-License-Identifier: Apache-2.0
"""``from brian import b2``: Brian2 beside any NumPy, with code that NumPy runs.

Brian2 2.9.0 asks for ``numpy.ndarray.ptp``, which NumPy 2.4 has no more; it gets ``numpy.ptp``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        text = self.get_source(fullname) or ""
        return compile(text.replace("np.ndarray.ptp", "np.ptp"), self.path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == "brian2.units.fundamentalunits" else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


sys.meta_path.insert(0, _Finder())
import brian2 as b2  # noqa: E402

b2.prefs.codegen.target = "numpy"  # no compiler
