# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_overlay_mailbox_pick Count=4
# lint: polyloom_overlay_mailbox_pick Count=1
# lint: polyloom_overlay_mailbox_turns Cores=4
# lint: polyloom_overlay_mailbox_turns Cores=1 Depth=1
# lint: polyloom_overlay_mailbox_references Slots=512
# lint: polyloom_overlay_mailbox_references Slots=128 Cores=1 Threads=1
# lint: polyloom_overlay_mailbox_queues Threads=16
# lint: polyloom_overlay_mailbox_queues Threads=1 Slots=128
# lint: polyloom_overlay_mailbox TwoCopies=1
# lint: polyloom_overlay_mailbox TwoCopies=0
# A tile's mailbox, top polyloom_overlay_mailbox.
-f ../pkg.f
-f ../../../../blocks/stream/rtl/stream.f
-f ../../../../blocks/ram/rtl/ram.f
polyloom_overlay_mailbox_pick.sv
polyloom_overlay_mailbox_turns.sv
polyloom_overlay_mailbox_scratchpad.sv
polyloom_overlay_mailbox_check.sv
polyloom_overlay_mailbox_events.sv
polyloom_overlay_mailbox_sender.sv
polyloom_overlay_mailbox_slots.sv
polyloom_overlay_mailbox_references.sv
polyloom_overlay_mailbox_queues.sv
polyloom_overlay_mailbox_receiver.sv
polyloom_overlay_mailbox_waits.sv
polyloom_overlay_mailbox.sv
