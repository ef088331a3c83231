// SPDX-License-Identifier: Apache-2.0
#include "../../../roles/overlay/device/tinsel.h"
