// SPDX-License-Identifier: Apache-2.0
// Which kernel a node runs: the file lists of its polyloom_kernel_app, or the code of its model.
#pragma once

#include <string>
#include <vector>

namespace polyloom::mpi {

/// File lists (.f, absolute) of the kernel of a node. They come from the JSON file $POLYLOOM_KERNELS,
///   {"fpga.0": {"files": ["/abs/kernel.f"]}, ...}
/// in which "*" is any node that has no entry, else from `image`, a key of the role's table in the cluster
/// file. Throws UserError that says what is missing and how to give it.
std::vector<std::string> kernel_files(const std::string& node, const std::string& image);

/// The object (kernel_code.h) that is the model of a node's kernel: "code" beside "files" in that JSON file.
/// Throws UserError that says what is missing.
std::string kernel_code(const std::string& node);

}  // namespace polyloom::mpi
