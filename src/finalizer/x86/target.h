// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <llvm/Target/TargetMachine.h>

namespace heddle::finalizer::x86 {

/// x86-64 microarchitecture levels of the System V ABI. v2: SSE4.2; v3: AVX2, FMA, F16C; v4: AVX-512.
enum class Level : uint8_t { v2, v3, v4 };

/// 0..3, as -O0 .. -O3.
using Effort = unsigned;

/// Code generator for the level, whatever CPU this process runs on. Never null. Thread safe.
std::unique_ptr<llvm::TargetMachine> create_target_machine(Level level, Effort effort);

}  // namespace heddle::finalizer::x86
