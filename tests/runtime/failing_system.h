// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls that fail on purpose. The functions of the C library that a program with failing_system.cpp
// replaces also serve the libraries that it opens, on all their threads.
#pragma once

#include <string>

#include "failing_memory.h"

namespace heddle::runtime::test {

/// Which system calls fail after the first `allowed` ones: the next one, or all.
void fail_system(long allowed, Failing failing);
/// Ends the failures. Returns the name of the last function that failed; null if none did.
const char* nothing_of_the_system_fails();

/// What the process has of the system. Something that grows from attempt to attempt has leaked.
struct Held {
  size_t files = 0, threads = 0, mappings = 0;
};
Held held_by_process();

/// The results of a sweep.
struct SystemSweep {
  int refused = 0;    ///< calls that returned OUT_OF_RESOURCES because of a failure
  int tolerated = 0;  ///< calls that succeeded although something failed
};

/// Repeats `call` with its first, second, ... system call failing, until none is left to fail. Each call must
/// return SUCCESS, if it does without, or OUT_OF_RESOURCES. `undo` follows each success. Afterwards the
/// process holds as many files and threads as before, and `call` works.
template <typename Call, typename Undo>
SystemSweep sweep_system(const char* what, Failing failing, Call call, Undo undo) {
  SystemSweep found;
  EXPECT_EQ(call(), HSA_STATUS_SUCCESS) << what << ", before";
  undo();
  const Held before = held_by_process();
  for (int allowed = 0; allowed < 1000; ++allowed) {
    fail_system(allowed, failing);
    const hsa_status_t status = call();
    const char* failed = nothing_of_the_system_fails();
    const auto where = [&] {
      return std::string(what) + ", number " + std::to_string(allowed) + ": " + (failed ? failed : "none");
    };
    if (status == HSA_STATUS_SUCCESS) undo();
    const Held after = held_by_process();
    EXPECT_EQ(after.files, before.files) << where();
    EXPECT_EQ(after.threads, before.threads) << where();
    EXPECT_LE(after.mappings, before.mappings + 4) << where();
    if (failed == nullptr) {
      EXPECT_EQ(status, HSA_STATUS_SUCCESS) << what;
      return found;
    }
    EXPECT_TRUE(status == HSA_STATUS_SUCCESS || status == HSA_STATUS_ERROR_OUT_OF_RESOURCES)
        << where() << " gives status " << std::hex << status;
    ++(status == HSA_STATUS_SUCCESS ? found.tolerated : found.refused);
    EXPECT_EQ(call(), HSA_STATUS_SUCCESS) << "after " << where();
    undo();
  }
  ADD_FAILURE() << what << " has no end";
  return found;
}

}  // namespace heddle::runtime::test
