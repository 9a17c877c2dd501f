// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the report. Each returns Markdown.
#pragma once

#include <string>

#include "cuda/sides.h"

namespace bench {

struct Settings {
  bool small = false;  ///< problems for a GPU that is interpreted
  int rounds = 21;
  unsigned gpu = 0;
  std::string kernels;  ///< the folder of heddle's
  std::string library;  ///< of the CUDA side; empty: heddle alone
  std::string only;     ///< the only workload, or "dispatches" or "copies"; empty: everything
};

/// How long the start takes, in processes of their own; `self` is the path of this program.
std::string start_section(const Settings& settings, const std::string& self);
/// What such a process does: prints the microseconds that the side `who` takes to be ready.
void measure_start(const Settings& settings, const std::string& who);

std::string idle_section(const Settings& settings);
std::string dispatch_section(const Settings& settings, HeddleSide& heddle, const Cuda* cuda);
std::string copy_section(const Settings& settings, HeddleSide& heddle, const Cuda* cuda);

/// The names of the workloads that are compared.
const std::vector<std::string>& compared_workloads();
/// Checks and measures the kernels. Sets `wrong` if a result is wrong.
std::string kernel_section(const Settings& settings, HeddleSide& heddle, const Cuda* cuda, bool& wrong);
/// The same work on all GPUs at once, beside one of them; empty where there is only one.
std::string gpus_section(const Settings& settings);

}  // namespace bench
