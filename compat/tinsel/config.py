#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the overlay for application trees: `config.py envs|cpp|defs|vpp`.

The values are those of roles/overlay/device/parameters.py for the cluster that POLYLOOM_CLUSTER names (one of
clusters/, or a file); if it names none, for one like the shipped ones. App-local genld.sh scripts evaluate the envs
form.
"""

import os
import runpy
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
cluster = os.environ.get("POLYLOOM_CLUSTER", "")
if cluster:
    named = ROOT / "clusters" / f"{cluster}.toml"
    sys.argv.append(str(named if named.is_file() else cluster))
runpy.run_path(str(ROOT / "roles" / "overlay" / "device" / "parameters.py"), run_name="__main__")
