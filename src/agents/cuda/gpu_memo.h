// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver said about the GPUs of this machine, kept on disk for the next process: to start the driver
// takes a tenth of a second, which programs need not spend that only look at their agents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/cuda/gpu.h"

namespace heddle::cuda {

/// Describes all that decides which GPUs the driver shows this process: the version of the kernel driver, the
/// GPUs with their numbers, the devices that the process may open, its control group and the variables of the
/// environment for CUDA. Empty if the kernel driver does not tell its version. `root` is the folder in which
/// /proc and /dev are looked for.
std::string describe_machine(const std::string& root = "/");

/// Identifies the build of the kernel driver, which libcuda.so.1 has to match; empty if it is not
/// known. `root` is as for describe_machine().
std::string driver_build(const std::string& root = "/");

/// A file in the folder of the cache. Nothing fails: what cannot be read is not remembered, and what cannot
/// be written is not kept. Thread safe, also among processes.
class GpuMemo {
 public:
  /// `folder` is an absolute path, and is created if need be; `machine` is what describe_machine() returned.
  GpuMemo(std::string folder, std::string machine);

  /// Returns what was written for the same machine by the same version of this file's format. Nothing if
  /// another user could have written it.
  std::optional<std::vector<GpuProperties>> read() const;
  void write(const std::vector<GpuProperties>& gpus) const;
  void forget() const;

 private:
  std::string path() const { return folder_ + "/gpus"; }

  std::string folder_;
  std::string machine_;
};

/// Returns the folder for the memo by the variables of the cache of code objects (docs/environment.md); empty
/// if nothing is to be kept on disk.
std::string memo_folder();

}  // namespace heddle::cuda
