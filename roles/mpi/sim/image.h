// SPDX-License-Identifier: Apache-2.0
// Which kernel a node runs: the file lists of its polyloom_kernel_app, or the code of its model.
#pragma once

#include <string>
#include <vector>

namespace polyloom::mpi {

/// File lists (.f, absolute) of the kernel of a node. They come from the JSON file that $POLYLOOM_KERNELS
/// names,
///   {"fpga.0": {"files": ["/abs/kernel.f"]}, ...}
/// ("*" is any node that has no entry), else from `image`, the key of the cluster file's [kernel] table.
/// Throws UserError that says what is missing and how to give it.
std::vector<std::string> kernel_files(const std::string& node, const std::string& image);

/// The object (kernel_code.h) that is the model of a node's kernel: "code" beside "files" in that JSON file.
/// Throws UserError that says what is missing.
std::string kernel_code(const std::string& node);

}  // namespace polyloom::mpi
