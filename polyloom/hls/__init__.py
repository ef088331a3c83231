# SPDX-License-Identifier: Apache-2.0
"""High-level synthesis: C by way of LLVM IR to a SystemVerilog kernel."""

from polyloom.hls.errors import HlsError
from polyloom.hls.options import Options
from polyloom.hls.pipeline import Kernel, compile_kernel

__all__ = ["HlsError", "Kernel", "Options", "compile_kernel"]
