// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and threads that run out on purpose. Operator new and pthread_create of a program that links
// failing_memory.cpp also serve the libraries that it opens, on all their threads.
#pragma once

#include <gtest/gtest.h>
#include <hsa/hsa.h>

#include <string>

namespace heddle::runtime::test {

/// Which allocations (threads) fail after the first `allowed` ones.
enum class Failing : uint8_t {
  all,  ///< all of them: memory is exhausted and stays so
  one,  ///< only the next one, so that smaller requests still succeed
};

void fail_memory(long allowed, Failing failing);
/// The same for allocations of the calling thread alone, where others of the process go on meanwhile.
void fail_own_memory(long allowed, Failing failing);
void fail_threads(long allowed, Failing failing);
/// Ends the failures. Returns true if anything has failed.
bool nothing_fails();
/// Reports whether fail_threads works. It needs the threads of the C library, which a sanitizer replaces.
bool can_fail_threads();

/// Repeats `call` with its first, second, ... allocation (thread) failing, and expects OUT_OF_RESOURCES,
/// until none is left to fail and the call succeeds; then calls `undo`. Returns the number of failures.
template <typename Call, typename Undo>
int sweep(const char* what, Failing failing, void (*fail)(long, Failing), Call call, Undo undo) {
  constexpr int most = 20000;
  for (int allowed = 0; allowed < most; ++allowed) {
    fail(allowed, failing);
    const hsa_status_t status = call();
    if (!nothing_fails()) {
      EXPECT_EQ(status, HSA_STATUS_SUCCESS) << what;
      if (status == HSA_STATUS_SUCCESS) undo();
      return allowed;
    }
    EXPECT_EQ(status, HSA_STATUS_ERROR_OUT_OF_RESOURCES) << what << ", number " << allowed;
    if (status == HSA_STATUS_SUCCESS) undo();
    if (status != HSA_STATUS_ERROR_OUT_OF_RESOURCES) return allowed;
  }
  ADD_FAILURE() << what << " has no end";
  return most;
}

/// Sweeps over the memory of the call in both ways. Returns the smaller number of failures.
template <typename Call, typename Undo>
int sweep_memory(const char* what, Call call, Undo undo) {
  const int all = sweep(what, Failing::all, fail_memory, call, undo);
  const int one = sweep(what, Failing::one, fail_memory, call, undo);
  return all < one ? all : one;
}

/// Expects success without any memory, for calls that release something.
template <typename Call>
void without_memory(const char* what, Call call) {
  fail_memory(0, Failing::all);
  const hsa_status_t status = call();
  nothing_fails();
  EXPECT_EQ(status, HSA_STATUS_SUCCESS) << what;
}
#define WITHOUT_MEMORY(...) without_memory(#__VA_ARGS__, [&] { return __VA_ARGS__; })

}  // namespace heddle::runtime::test
