// SPDX-License-Identifier: Apache-2.0
// Stands in for tinsel.h where the console code is tested on this CPU.
#pragma once

#include <stdint.h>

uint32_t tinselUartTryPut(uint8_t byte);
