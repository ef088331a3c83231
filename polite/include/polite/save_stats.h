// SPDX-License-Identifier: Apache-2.0
// politeSaveStats: collects the counters that every thread prints before finish (POLITE_DUMP_STATS).
#pragma once

#include <cstdio>

#include "roles/overlay/host/HostLink.h"

namespace polyloom::polite {
/// Reads exactly as many console lines as the boards of `link` print: one a cache, one a core and, with
/// `count_messages`, one a thread; writes them to `file`. Throws UserError if the file cannot be written.
/// Does nothing when vertices run natively.
void save_stats(HostLink& link, const char* file, bool count_messages);
}  // namespace polyloom::polite

/// No-op without POLITE_DUMP_STATS, as in POLite.
inline void politeSaveStats([[maybe_unused]] HostLink* link, [[maybe_unused]] const char* file) {
#ifdef POLITE_DUMP_STATS
#ifdef POLITE_COUNT_MSGS
  polyloom::polite::save_stats(*link, file, true);
#else
  polyloom::polite::save_stats(*link, file, false);
#endif
#endif
}
