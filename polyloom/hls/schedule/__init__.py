# SPDX-License-Identifier: Apache-2.0
"""When each operation takes place: dependences, costs, list and modulo scheduling."""
