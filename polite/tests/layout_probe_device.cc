// SPDX-License-Identifier: Apache-2.0
// The probe as the device's compiler sees it: layout_test.cc reads section .probe of the object.
#include "polite/tests/layout_probe.h"
