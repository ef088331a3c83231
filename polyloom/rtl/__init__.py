# SPDX-License-Identifier: Apache-2.0
"""RTL flow: file lists, tools, unit tests with cocotb, proofs, lint."""
