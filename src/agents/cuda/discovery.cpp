// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/discovery.h"

#include <dirent.h>
#include <unistd.h>

namespace heddle::cuda {
namespace {

/// Whether a folder exists and has an entry. std::filesystem is not used, because its iterator ends the
/// process when memory is exhausted.
bool has_entry(const std::string& path) {
  DIR* const folder = opendir(path.c_str());
  if (!folder) return false;
  bool found = false;
  while (const dirent* entry = found ? nullptr : readdir(folder)) found = entry->d_name[0] != '.';
  closedir(folder);
  return found;
}

}  // namespace

bool kernel_driver_shows_gpu(const std::string& root) {
  // The last one is the paravirtual device of a Linux guest of Windows, where there is no kernel driver of
  // NVIDIA's.
  return has_entry(root + "/proc/driver/nvidia/gpus") || access((root + "/dev/dxg").c_str(), F_OK) == 0;
}

}  // namespace heddle::cuda
