// SPDX-License-Identifier: Apache-2.0
// Memory that is there, asked before work begins: what does not fit is refused with two numbers, not ended by
// the system halfway.
#pragma once

#include <string>

namespace polyloom {

/// Bytes that this process can still take: the least of what the machine has available, its control group's
/// limit and its address space's (ulimit -v) leave.
double memory_there();

/// "12.3 GB".
std::string bytes_text(double bytes);

/// Throws UserError "WHAT needs BYTES of memory; BYTES are there" unless so many bytes more can be taken.
/// Bytes are a double, so that sizes which overflow 64 bits are compared too.
void require_memory(double bytes, const std::string& what);

}  // namespace polyloom
