# SPDX-License-Identifier: Apache-2.0
"""Sharing averaged parameters (OPTWEB section 3.C) and a data-parallel training loop that uses it."""
