// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/system_memory.h"

#include <unistd.h>

#include <fstream>
#include <string>

namespace heddle::runtime::amd {

uint64_t available_system_memory() {
  std::ifstream file("/proc/meminfo");
  file.exceptions(std::ios::badbit);  // running out of memory must not look like the end of the file
  const std::string key = "MemAvailable:";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) << 10;
  return static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace heddle::runtime::amd
