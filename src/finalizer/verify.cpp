// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/verify.h"

#include <atomic>

#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::finalizer {
namespace {

std::atomic<uint64_t> verified{0};

}  // namespace

Result<void> verify(const llvm::Module& module, std::string_view stage) {
  if constexpr (!verifies_modules) return {};
  verified.fetch_add(1, std::memory_order_relaxed);
  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (llvm::verifyModule(module, &out))
    return Error{fmt::format("the finalizer made bad IR, found after {}: {}", stage, broken)};
  return {};
}

uint64_t verified_modules() { return verified.load(std::memory_order_relaxed); }

}  // namespace heddle::finalizer
