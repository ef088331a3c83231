# SPDX-License-Identifier: Apache-2.0
"""Alpha-beta models of collectives on fully connected and generalized-hypercube clusters.

``topology`` has networks, links and costs; ``operations`` the published algorithms, ``improved`` ours, ``sorting``
the sorts' passes, ``tables`` and ``figures`` what the OPTWEB paper prints. Derivations:
docs/reference/collective-models.md.
"""

from polyloom.collectives.models.topology import (
    OPTWEB_45,
    OPTWEB_90,
    OPTWEB_SORT,
    OPTWEB_UNICAST,
    Cost,
    Dimension,
    Link,
    Topology,
    balanced_hypercube,
    fully_connected,
    hypercube,
    kautz_nodes,
)

__all__ = [
    "OPTWEB_45",
    "OPTWEB_90",
    "OPTWEB_SORT",
    "OPTWEB_UNICAST",
    "Cost",
    "Dimension",
    "Link",
    "Topology",
    "balanced_hypercube",
    "fully_connected",
    "hypercube",
    "kautz_nodes",
]
