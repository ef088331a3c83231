// SPDX-License-Identifier: Apache-2.0
// The one header of a POLite application. Compiled for the overlay (TINSEL defined) it gives the vertex side
// and the softswitch; compiled for the host it gives the vertex side, PGraph, and politeSaveStats. Macros to
// set before it, equal on both sides: POLITE_NUM_PINS (1), POLITE_DUMP_STATS, POLITE_COUNT_MSGS. Source:
// Tinsel paper IV, Multicast paper V, Tinsel 0.8 manual.
#pragma once

#ifdef TINSEL
#include <tinsel.h>

#include "polite/softswitch.h"
#include "polite/types.h"
#else
#include <HostLink.h>
#if __has_include(<tinsel-interface.h>)
#include <tinsel-interface.h>  // address helpers that handlers and host programs share
#endif

#include "polite/pgraph.h"
#include "polite/save_stats.h"
#include "polite/types.h"
#endif
