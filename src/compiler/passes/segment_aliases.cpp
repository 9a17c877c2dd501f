// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/passes/segment_aliases.h"

#include "compiler/passes/address_spaces.h"

namespace heddle::compiler {

llvm::AnalysisKey SegmentAliases::Key;

bool are_disjoint(unsigned first_space, unsigned second_space) {
  const auto segment = [](unsigned space) { return space == constant_space ? global_space : space; };
  const unsigned first = segment(first_space);
  const unsigned second = segment(second_space);
  const auto is_known = [](unsigned space) {
    return space == global_space || space == group_space || space == private_space;
  };
  return is_known(first) && is_known(second) && first != second;
}

llvm::AliasResult SegmentAliasResult::alias(const llvm::MemoryLocation& first,
                                            const llvm::MemoryLocation& second, llvm::AAQueryInfo&,
                                            const llvm::Instruction*) {
  const bool disjoint = are_disjoint(first.Ptr->getType()->getPointerAddressSpace(),
                                     second.Ptr->getType()->getPointerAddressSpace());
  return disjoint ? llvm::AliasResult::NoAlias : llvm::AliasResult::MayAlias;
}

}  // namespace heddle::compiler
