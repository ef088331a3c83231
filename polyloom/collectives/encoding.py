# SPDX-License-Identifier: Apache-2.0
"""Numbers in programs of collective nodes. Made from spec/ by python -m spec; do not edit."""

BEAT_BYTES = 32

OP_END = 0
OP_READ = 1
OP_WRITE = 2
OP_SEND = 3
OP_TAKE = 4
OP_FEED = 5
OP_CONFIG = 6
OP_GO = 7

FROM_READ = 0x00
FROM_LANE = 0x80
FROM_OPERATOR = 0xC0
FROM_NONE = 0xFF

FLAG_EAGER = 1
FLAG_PULSE_ONLY = 2
FLAG_OPEN_END = 4
FLAG_TOGETHER = 1

OPERATOR_REDUCE = 1
OPERATOR_PARTITION = 2
OPERATOR_PASS = 3
OPERATOR_LET = 4
