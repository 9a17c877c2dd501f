// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>

namespace heddle::compiler {

/// Says of addresses in different segments that nothing is at both (PRM 2.8). Flat addresses may be in any
/// segment.
class SegmentAliasResult : public llvm::AAResultBase {
 public:
  // LLVM's aggregation of alias analyses asks for functions of these names and finds those of the base class
  // only where a result has none of its own.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method)
  llvm::AliasResult alias(const llvm::MemoryLocation& first, const llvm::MemoryLocation& second,
                          llvm::AAQueryInfo& query, const llvm::Instruction* context);
  /// Never: the answers depend on types alone.
  bool invalidate(llvm::Function&, const llvm::PreservedAnalyses&,
                  llvm::FunctionAnalysisManager::Invalidator&) {
    return false;
  }
};

/// The analysis for LLVM's passes.
class SegmentAliases : public llvm::AnalysisInfoMixin<SegmentAliases> {
 public:
  using Result = SegmentAliasResult;
  Result run(llvm::Function&, llvm::FunctionAnalysisManager&) { return Result(); }

 private:
  friend llvm::AnalysisInfoMixin<SegmentAliases>;
  static llvm::AnalysisKey Key;
};

/// Whether nothing is at an address of both address spaces. Constant memory is global memory.
bool are_disjoint(unsigned first_space, unsigned second_space);

}  // namespace heddle::compiler
