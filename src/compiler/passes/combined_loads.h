// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::compiler {

/// Replaces an integer of 16, 32 or 64 bits that a program puts together from neighbouring loads, the lowest
/// part first (`p[0] | p[1] << 8 ...`), by one load. On machines whose work-items are lanes of vectors, each
/// of the small loads would be a gather. LLVM does the same only where it selects instructions for single
/// work-items, or asks what the machine's registers hold, which other passes would then believe, too.
///
/// The load reads exactly the bytes of the loads that it replaces, which must be in one block, ordinary
/// (neither volatile nor atomic) and used for nothing else. Nothing between them may write what they read, or
/// end the work-item. To be run where addresses are sums of a value and a number (explicit_addresses.h).
class CombinedLoads : public llvm::PassInfoMixin<CombinedLoads> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::compiler
