#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the overlay for application trees: `config.py envs|cpp|defs|vpp`.

The values are those of roles/overlay/device/parameters.py; app-local genld.sh scripts evaluate the envs form.
"""

import runpy
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
runpy.run_path(str(ROOT / "roles" / "overlay" / "device" / "parameters.py"), run_name="__main__")
