// SPDX-License-Identifier: Apache-2.0
#include "../../../roles/overlay/host/ProgRouters.h"
