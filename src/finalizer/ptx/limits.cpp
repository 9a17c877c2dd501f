// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/limits.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::finalizer::ptx {
namespace {

/// Intrinsics other than those of NVPTX that lowering and LLVM's passes make, and that the code generator
/// knows.
constexpr llvm::Intrinsic::ID translated[] = {
    llvm::Intrinsic::abs,
    llvm::Intrinsic::assume,
    llvm::Intrinsic::bitreverse,
    llvm::Intrinsic::bswap,
    llvm::Intrinsic::ceil,
    llvm::Intrinsic::copysign,
    llvm::Intrinsic::ctlz,
    llvm::Intrinsic::ctpop,
    llvm::Intrinsic::cttz,
    llvm::Intrinsic::dbg_assign,
    llvm::Intrinsic::dbg_declare,
    llvm::Intrinsic::dbg_label,
    llvm::Intrinsic::dbg_value,
    llvm::Intrinsic::expect,
    llvm::Intrinsic::experimental_noalias_scope_decl,
    llvm::Intrinsic::fabs,
    llvm::Intrinsic::floor,
    llvm::Intrinsic::fma,
    llvm::Intrinsic::fptosi_sat,
    llvm::Intrinsic::fptoui_sat,
    llvm::Intrinsic::fshl,
    llvm::Intrinsic::fshr,
    llvm::Intrinsic::is_fpclass,
    llvm::Intrinsic::lifetime_end,
    llvm::Intrinsic::lifetime_start,
    llvm::Intrinsic::maxnum,
    llvm::Intrinsic::minnum,
    llvm::Intrinsic::memcpy,
    llvm::Intrinsic::memmove,
    llvm::Intrinsic::memset,
    llvm::Intrinsic::ptrmask,
    llvm::Intrinsic::roundeven,
    llvm::Intrinsic::sadd_sat,
    llvm::Intrinsic::sadd_with_overflow,
    llvm::Intrinsic::scmp,
    llvm::Intrinsic::smax,
    llvm::Intrinsic::smin,
    llvm::Intrinsic::smul_with_overflow,
    llvm::Intrinsic::sqrt,
    llvm::Intrinsic::ssub_sat,
    llvm::Intrinsic::ssub_with_overflow,
    llvm::Intrinsic::trunc,
    llvm::Intrinsic::uadd_sat,
    llvm::Intrinsic::uadd_with_overflow,
    llvm::Intrinsic::ucmp,
    llvm::Intrinsic::umax,
    llvm::Intrinsic::umin,
    llvm::Intrinsic::umul_with_overflow,
    llvm::Intrinsic::usub_sat,
    llvm::Intrinsic::usub_with_overflow,
    // which the code generator takes apart
    llvm::Intrinsic::vector_reduce_add,
    llvm::Intrinsic::vector_reduce_and,
    llvm::Intrinsic::vector_reduce_mul,
    llvm::Intrinsic::vector_reduce_or,
    llvm::Intrinsic::vector_reduce_smax,
    llvm::Intrinsic::vector_reduce_smin,
    llvm::Intrinsic::vector_reduce_umax,
    llvm::Intrinsic::vector_reduce_umin,
    llvm::Intrinsic::vector_reduce_xor,
};

/// Returns the function of the declarations that are used and not known, or null.
const llvm::Function* unknown_function(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.use_empty()) continue;
    if (function.getName().starts_with("llvm.nvvm.")) continue;
    if (std::ranges::find(translated, function.getIntrinsicID()) == std::end(translated)) return &function;
  }
  return nullptr;
}

/// Reports whether LLVM has no code for the instruction on GPUs, where it would call a library.
bool needs_library(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::SDiv:
    case llvm::Instruction::SRem:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::URem:
      return instruction.getType()->getScalarSizeInBits() > 64;
    case llvm::Instruction::FRem:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<void> check_limits(const llvm::Module& module) {
  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (llvm::verifyModule(module, &out))
    return Error{fmt::format("the finalizer made bad IR, found before code generation: {}", broken)};
  if (const llvm::Function* unknown = unknown_function(module))
    return Error{fmt::format("compiled code calls {}, for which there is no code",
                             std::string_view(unknown->getName()))};
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (needs_library(instruction))
        return Error{fmt::format("compiled code needs a library for {}", instruction.getOpcodeName())};
  return {};
}

}  // namespace heddle::finalizer::ptx
