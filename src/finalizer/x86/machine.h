// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <llvm/Target/TargetMachine.h>

#include "finalizer/target_traits.h"

namespace heddle::finalizer::x86 {

/// x86-64 microarchitecture levels of the System V ABI. v2: SSE4.2; v3: AVX2, FMA, F16C; v4: AVX-512.
enum class Level : uint8_t { v2, v3, v4 };

/// Returns the traits of code for waves of `lanes` work-items, which all levels share. Every segment is in
/// the one address space of the process.
const TargetTraits& traits(unsigned lanes);

/// Returns the bitcode of the device library.
llvm::StringRef device_library();

/// A level of optimisation from 0 to 3, as in -O0 to -O3.
using OptLevel = unsigned;

/// Lends a code generator for a level to one user at a time. The generator does not depend on the CPU that
/// this process runs on. Generators are kept for later users, because making one costs as much as compiling a
/// small kernel. Thread safe.
class PooledTargetMachine {
 public:
  PooledTargetMachine(Level level, OptLevel opt_level);
  ~PooledTargetMachine();
  PooledTargetMachine(const PooledTargetMachine&) = delete;
  PooledTargetMachine& operator=(const PooledTargetMachine&) = delete;

  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

 private:
  const size_t index_;  // in the idle machines: one list for each level and opt_level
  std::unique_ptr<llvm::TargetMachine> machine_;  ///< never null
};

}  // namespace heddle::finalizer::x86
