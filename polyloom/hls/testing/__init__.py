# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel's C source natively and as a circuit, for tests.

    words = [3, 10, 20, 30]
    pushes, cycles = run_kernel(source, words, seed=1)
    assert pushes == run_native(source, words)

``words`` are what ``__polyloom_pop(0)`` gives, in order, or a dict from port (0 to 3) to words.
"""

from polyloom.hls.testing.run import (
    SCRATCH_NAME,
    KernelRun,
    NativeError,
    StuckError,
    build_kernel,
    build_model,
    compile_source,
    run_kernel,
    run_native,
)

__all__ = [
    "SCRATCH_NAME",
    "KernelRun",
    "NativeError",
    "StuckError",
    "build_kernel",
    "build_model",
    "compile_source",
    "run_kernel",
    "run_native",
]
