# SPDX-License-Identifier: Apache-2.0
"""Random C programs without undefined behaviour, for the compiler of kernels: see program.py."""
