# SPDX-License-Identifier: Apache-2.0
"""What is written from the tables, a module a language. Each function returns the text of a file."""

MADE = "Made from spec/ by python -m spec; do not edit."
