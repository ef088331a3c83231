# SPDX-License-Identifier: Apache-2.0
"""Instruction-set tests: ELF programs on a core of the overlay, which say by ``tohost`` whether they passed."""
