// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/page_test.h"

#include <llvm/IR/PatternMatch.h>

namespace heddle::finalizer::spmd {

using llvm::Value;

namespace {

constexpr uint64_t page_bytes = 4096;

}  // namespace

Value* create_page_test(llvm::IRBuilderBase& ir, const LaneMasks& masks, const Parts& mask, Value* address,
                        uint64_t bytes) {
  assert(bytes <= page_bytes);
  Value* offset = ir.CreateAnd(ir.CreatePtrToInt(address, ir.getInt64Ty()), page_bytes - 1);
  return ir.CreateAnd(masks.any(ir, mask), ir.CreateICmpULE(offset, ir.getInt64(page_bytes - bytes)));
}

PageTest page_test(const Value& condition) {
  namespace match = llvm::PatternMatch;
  const Value *any = nullptr, *address = nullptr;
  uint64_t last = 0;
  const bool is_test = match::match(
      &condition, match::m_And(match::m_Value(any),
                               match::m_SpecificICmp(llvm::ICmpInst::ICMP_ULE,
                                                     match::m_And(match::m_PtrToInt(match::m_Value(address)),
                                                                  match::m_SpecificInt(page_bytes - 1)),
                                                     match::m_ConstantInt(last))));
  if (!is_test || last > page_bytes) return {};
  return {any, address, page_bytes - last};
}

}  // namespace heddle::finalizer::spmd
