#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The linker's arguments for a POLite program: where its code and globals go, and their limits.
set -eu
eval "$(python3 "${TINSEL_ROOT:-../../..}/config.py" envs)"
echo "--defsym=polyloom_text_base=$MaxBootImageBytes"
echo "--defsym=polyloom_instr_bytes=$((4 * InstrsPerCore))"
echo "--defsym=polyloom_globals_base=$DRAMBase"
echo "--defsym=polyloom_globals_bytes=$POLiteDRAMGlobalsLength"
