# SPDX-License-Identifier: Apache-2.0
"""The system's facts, each in one row of one table, and what is written from them: see spec/README.md."""
