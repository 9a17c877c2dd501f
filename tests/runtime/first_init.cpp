// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process whose first act is hsa_init. It prints the duration of that call in nanoseconds, and every file
// that the process then has mapped. process_test.cpp runs it.
#include <hsa/hsa.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

int main() {
  const auto start = std::chrono::steady_clock::now();
  const hsa_status_t status = hsa_init();
  const auto took = std::chrono::steady_clock::now() - start;
  if (status != HSA_STATUS_SUCCESS) return 1;
  std::printf("%lld\n",
              static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> files;
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path != line.npos) files.insert(line.substr(path));
  }
  for (const std::string& file : files) std::printf("%s\n", file.c_str());
  return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 2;
}
