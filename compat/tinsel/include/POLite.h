// SPDX-License-Identifier: Apache-2.0
// With the C headers that Tinsel's POLite.h gives a host program along: programs rely on them.
#ifndef TINSEL
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#endif

#include "../../../polite/include/POLite.h"
