// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limit of hsa_init (Runtime 2.1.1.1) is INT32_MAX references. This is a program of its own, because its
// 2^31 calls take minutes.
#include <hsa/hsa.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void expect(hsa_status_t got, hsa_status_t wanted, const char* what) {
  if (got == wanted) return;
  std::fprintf(stderr, "%s: status %#x, not %#x\n", what, static_cast<unsigned>(got),
               static_cast<unsigned>(wanted));
  std::exit(1);
}

}  // namespace

int main() {
  setenv("HEDDLE_AGENTS", "null", 1);
  for (int32_t references = 0; references < INT32_MAX; ++references)
    expect(hsa_init(), HSA_STATUS_SUCCESS, "a reference below the limit");
  // Refused references do not count: after one release, one more reference is possible.
  for (int i = 0; i < 2; ++i) {
    expect(hsa_init(), HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "a reference beyond the limit");
    expect(hsa_init(), HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "another one");
    expect(hsa_shut_down(), HSA_STATUS_SUCCESS, "giving one back");
    expect(hsa_init(), HSA_STATUS_SUCCESS, "the last one again");
  }
  hsa_signal_t signal;
  expect(hsa_signal_create(1, 0, nullptr, &signal), HSA_STATUS_SUCCESS, "the runtime still works");
  expect(hsa_signal_destroy(signal), HSA_STATUS_SUCCESS, "the signal");
}
