// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HEDDLE_CPU_AS_GPU: agents that dispatch kernels are shown as GPUs, because some programs accept nothing
// else. A few want an ISA of AMD's GPUs as well, and exactly one; the setting can name it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::driver {

struct ShownGpu {
  bool is_on = false;  ///< agents that dispatch kernels are GPUs
  std::string isa;     ///< the name of the only ISA that they show; empty: they show those that they execute
};

/// Returns the name of the ISA of a target such as "gfx906" or "gfx90a:sramecc+:xnack-"; nothing if the text
/// is no target. Only its form is checked. Features stand in the order of the alphabet, because clients
/// compare names as texts.
std::optional<std::string> amd_isa_of(std::string_view target);

/// Reads HEDDLE_CPU_AS_GPU. A value that begins like a target and is none is a warning in the log and
/// means 1.
ShownGpu shown_gpu_of_environment();

}  // namespace heddle::driver
