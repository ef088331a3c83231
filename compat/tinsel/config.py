#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the overlay for application trees: `config.py envs|cpp|defs|vpp`.

The values are those of roles/overlay/device/parameters.py; app-local genld.sh scripts evaluate the envs form.
"""

import os
import runpy
import sys

HERE = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120 PTH118: any Python may be called here
DEVICE = os.path.join(HERE, "..", "..", "roles", "overlay", "device")  # noqa: PTH118
sys.dont_write_bytecode = True
runpy.run_path(os.path.join(DEVICE, "parameters.py"), run_name="__main__")  # noqa: PTH118
