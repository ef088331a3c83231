# SPDX-License-Identifier: Apache-2.0
# Covers: compiled modules beside each other in one process: each has its own exceptions, in either order of loading.
import subprocess
import sys

import pytest

COLLECTIVES = "import polyloom.collectives as c"
NBODY = "import polyloom.nbody as n, numpy as np"
CHECK = """
try:
    c.Communicator("laptop", on="sim")
except c.CollectiveError as error:
    print("collectives:", error)
try:
    n.accelerations(np.full((1, 3), np.nan), np.ones(1))
except n.NBodyError as error:
    print("nbody:", error)
"""


@pytest.mark.parametrize("order", [(COLLECTIVES, NBODY), (NBODY, COLLECTIVES)])
def test_errors_are_of_the_module_that_found_them(order):
    program = "\n".join((*order, CHECK))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    assert [line.split(":")[0] for line in run.stdout.splitlines()] == ["collectives", "nbody"]
