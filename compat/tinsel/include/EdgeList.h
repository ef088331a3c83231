// SPDX-License-Identifier: Apache-2.0
// With the C headers that Tinsel's EdgeList.h gives along: programs rely on them.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../polite/include/EdgeList.h"
