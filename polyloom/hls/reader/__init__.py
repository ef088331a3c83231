# SPDX-License-Identifier: Apache-2.0
"""Reads LLVM IR text into the compiler's own representation."""

from polyloom.hls.reader.module import read

__all__ = ["read"]
