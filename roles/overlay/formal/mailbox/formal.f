# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/mailbox/mailbox.f
mailbox_slots_proof.sv
mailbox_references_proof.sv
mailbox_queues_proof.sv
