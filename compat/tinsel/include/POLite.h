// SPDX-License-Identifier: Apache-2.0
#include "../../../polite/include/POLite.h"
