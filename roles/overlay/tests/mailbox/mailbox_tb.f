# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/mailbox/mailbox.f
mailbox_tb.sv
