# SPDX-License-Identifier: Apache-2.0
"""Parallel counting sort on collectives (OPTWEB section 3.B), the fused sort, and a full order of 32-bit keys."""
