// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the kernels and functions of a program into those of waves.
#pragma once

#include <map>

#include "finalizer/lower/spmd.h"
#include "finalizer/x86/entries.h"
#include "finalizer/x86/kernel_report.h"
#include "finalizer/x86/machine.h"

namespace heddle::finalizer::x86 {

/// What has become of a program for waves of several work-items.
struct Waves {
  std::map<int32_t, WaveBodies> bodies;                              ///< of kernels, by their symbols
  std::map<int32_t, KernelReport> reports;                           ///< of kernels, by their symbols
  llvm::DenseMap<const llvm::Function*, spmd::WaveShape> functions;  ///< all functions of waves
  /// Indirect functions that waves cannot execute, by their symbols, and why.
  std::map<int32_t, std::string> refused_functions;
};

struct WavesRequest {
  spmd::WaveShape wave;  ///< several work-items
  Level level;
  bool row_bodies = true;  ///< whether kernels may have bodies for rows (WaveBodies)
  bool explains = false;   ///< whether reports say what costs much (WideFunction::costly)
  /// Returns the size in bytes of a kernel's kernarg segment.
  llvm::function_ref<uint64_t(const SpmdKernel&)> kernarg_size;
  /// Returns what entry a kernel needs, as far as that depends on how its work-items wait for each other.
  llvm::function_ref<EntryKind(const SpmdKernel&)> entry_kind;
  /// Returns which groups the entry of a kernel executes as one.
  llvm::function_ref<GroupMerging(const SpmdKernel&)> merging;
};

/// Makes bodies for waves of the kernels of a program, which keeps the scalar body of each kernel for which
/// that is not possible. Kernels that ask for lock-step get waves of as many work-items as they ask for. Its
/// indirect functions become those of waves. All other functions for single work-items are removed.
Waves make_waves(SpmdProgram& program, const WavesRequest& request, llvm::TargetMachine& machine);

}  // namespace heddle::finalizer::x86
