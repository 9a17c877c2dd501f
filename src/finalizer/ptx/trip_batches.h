// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::finalizer::ptx {

/// What the metadata of loops says that have been changed so, or are the rest of such a loop.
inline constexpr char batched_loop[] = "hsail.loop.batched";

/// Lets loops that load execute several trips at once, with all their loads ahead of what is done with them,
/// where LLVM cannot do so because nobody knows the number of trips beforehand. Such is the usual loop of a
/// work-item over every so many elements,
///
///     do { ... load(i) ... } while ((i += step) < bound);
///
/// in which the index might wrap, and each trip waits for its load before the next one begins. It becomes
///
///     do {
///       if (i + 3 * step >= bound) { the loop as it was; break; }   // without wrapping
///       ... load(i) ... load(i + step) ... load(i + 2 * step) ... load(i + 3 * step) ...
///     } while ((i += 4 * step) < bound);
///
/// Loops of one block are changed whose only effects on memory are relaxed atomic operations on group memory,
/// which loads of global memory may pass.
struct TripBatches : llvm::PassInfoMixin<TripBatches> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::finalizer::ptx
