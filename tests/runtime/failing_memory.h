// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and threads that run out at will. Operator new and pthread_create of a program that links
// failing_memory.cpp serve the libraries that it opens, too, on all their threads.
#pragma once

#include <gtest/gtest.h>
#include <hsa/hsa.h>

#include <string>

namespace heddle::runtime::test {

/// What fails behind the first `allowed` allocations (threads).
enum class Failing : uint8_t {
  all,  ///< all: memory is exhausted and stays so
  one,  ///< the first of them: what is small still finds room
};

void fail_memory(long allowed, Failing failing);
void fail_threads(long allowed, Failing failing);
/// Ends that, and says whether anything has failed.
bool nothing_fails();
/// Threads are those of the C library, so that fail_threads works; not under a sanitizer.
bool can_fail_threads();

/// Makes `call` with its first, second, ... allocation (thread) failing until none is left to fail, which it
/// survives with SUCCESS; then calls `undo`. Returns how many failed. `refused`: what else a call may say
/// when memory runs out.
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

/// The same for memory, in both ways. Returns how often the call failed in either.
template <typename Call, typename Undo>
int sweep_memory(const char* what, Call call, Undo undo) {
  const int all = sweep(what, Failing::all, fail_memory, call, undo);
  const int one = sweep(what, Failing::one, fail_memory, call, undo);
  return all < one ? all : one;
}

/// What gives back needs no memory.
template <typename Call>
void without_memory(const char* what, Call call) {
  fail_memory(0, Failing::all);
  const hsa_status_t status = call();
  nothing_fails();
  EXPECT_EQ(status, HSA_STATUS_SUCCESS) << what;
}
#define WITHOUT_MEMORY(...) without_memory(#__VA_ARGS__, [&] { return __VA_ARGS__; })

}  // namespace heddle::runtime::test
