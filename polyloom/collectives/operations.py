# SPDX-License-Identifier: Apache-2.0
"""Collective operations. Made from spec/ by python -m spec; do not edit."""

from typing import NamedTuple


class Operation(NamedTuple):
    """What an operation is; words as in spec/collective.py."""

    name: str
    sizes: str
    sender: str
    sends: str
    receiver: str
    receives: str
    reduces: bool


OPERATIONS = {
    "barrier": Operation("barrier", "none", "none", "nothing", "none", "nothing", False),
    "unicast": Operation("unicast", "vector", "root", "vector", "destination", "vector", False),
    "scatter": Operation("scatter", "blocks", "root", "blocks", "all", "block", False),
    "gather": Operation("gather", "blocks", "all", "block", "root", "blocks", False),
    "broadcast": Operation("broadcast", "vector", "root", "vector", "others", "vector", False),
    "all_to_all": Operation("all_to_all", "pairs", "all", "row", "all", "column", False),
    "all_gather": Operation("all_gather", "blocks", "all", "block", "all", "blocks", False),
    "reduce": Operation("reduce", "vector", "all", "vector", "root", "vector", True),
    "reduce_scatter": Operation("reduce_scatter", "blocks", "all", "blocks", "all", "block", True),
    "all_reduce": Operation("all_reduce", "vector", "all", "vector", "all", "vector", True),
}
