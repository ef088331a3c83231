# SPDX-License-Identifier: Apache-2.0
-f ../rtl/shell.f
../../stream/formal/polyloom_stream_checker.sv
shell_parser_proof.sv
