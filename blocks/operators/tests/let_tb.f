# SPDX-License-Identifier: Apache-2.0
-f ../rtl/let.f
let_tb.vlt
let_tb.sv
