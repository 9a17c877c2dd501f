// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/amdgcn_functions.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::compiler {
namespace {

namespace ID = llvm::Intrinsic;

/// How the types of an intrinsic, of which it may have several, become those of a function.
enum class Form : uint8_t {
  fixed,     ///< it has one type
  suffixed,  ///< there is a function for each type, whose name ends with the type
  words,     ///< any type: the function moves 32 bits, and is called for each word of the value
};

struct Row {
  ID::ID intrinsic;
  Form form = Form::fixed;
  unsigned values = 0;  ///< how many arguments, the first ones, are of the type of the result
};

constexpr Row rows[] = {
    {ID::amdgcn_ds_permute},
    {ID::amdgcn_ds_swizzle},
    {ID::amdgcn_update_dpp, Form::words, 2},
    {ID::amdgcn_mov_dpp, Form::words, 1},
    {ID::amdgcn_mov_dpp8, Form::words, 1},
    {ID::amdgcn_permlane16, Form::words, 2},
    {ID::amdgcn_permlanex16, Form::words, 2},
    {ID::amdgcn_permlane64, Form::words, 1},
    {ID::amdgcn_wave_shuffle, Form::words, 1},
    {ID::amdgcn_writelane, Form::words, 1},
    {ID::amdgcn_inverse_ballot, Form::suffixed},
    {ID::amdgcn_wave_reduce_umin, Form::suffixed},
    {ID::amdgcn_wave_reduce_umax, Form::suffixed},
    {ID::amdgcn_wave_reduce_min, Form::suffixed},
    {ID::amdgcn_wave_reduce_max, Form::suffixed},
    {ID::amdgcn_wave_reduce_add, Form::suffixed},
    {ID::amdgcn_wave_reduce_sub, Form::suffixed},
    {ID::amdgcn_wave_reduce_and, Form::suffixed},
    {ID::amdgcn_wave_reduce_or, Form::suffixed},
    {ID::amdgcn_wave_reduce_xor, Form::suffixed},
    {ID::amdgcn_wave_reduce_fmin, Form::suffixed},
    {ID::amdgcn_wave_reduce_fmax, Form::suffixed},
    {ID::amdgcn_wave_reduce_fadd, Form::suffixed},
    {ID::amdgcn_wave_reduce_fsub, Form::suffixed},
    {ID::amdgcn_is_shared},
    {ID::amdgcn_is_private},
    {ID::amdgcn_sad_u8},
    {ID::amdgcn_sad_u16},
    {ID::amdgcn_sad_hi_u8},
    {ID::amdgcn_msad_u8},
    {ID::amdgcn_qsad_pk_u16_u8},
    {ID::amdgcn_mqsad_pk_u16_u8},
    {ID::amdgcn_mqsad_u32_u8},
    {ID::amdgcn_lerp},
    {ID::amdgcn_alignbyte},
    {ID::amdgcn_perm},
    {ID::amdgcn_ubfe, Form::suffixed},
    {ID::amdgcn_sbfe, Form::suffixed},
    {ID::amdgcn_sffbh},
    {ID::amdgcn_mul_i24},
    {ID::amdgcn_mul_u24},
    {ID::amdgcn_mulhi_i24},
    {ID::amdgcn_mulhi_u24},
    {ID::amdgcn_sdot2},
    {ID::amdgcn_udot2},
    {ID::amdgcn_sdot4},
    {ID::amdgcn_udot4},
    {ID::amdgcn_sdot8},
    {ID::amdgcn_udot8},
    {ID::amdgcn_fdot2},
    {ID::amdgcn_cvt_pk_i16},
    {ID::amdgcn_cvt_pk_u16},
    {ID::amdgcn_cvt_pknorm_i16},
    {ID::amdgcn_cvt_pknorm_u16},
    {ID::amdgcn_cvt_pkrtz},
    {ID::amdgcn_cvt_pk_u8_f32},
    {ID::amdgcn_fmul_legacy},
    {ID::amdgcn_fma_legacy},
    {ID::amdgcn_rcp_legacy},
    {ID::amdgcn_fdiv_fast},
    {ID::amdgcn_cubeid},
    {ID::amdgcn_cubema},
    {ID::amdgcn_cubesc},
    {ID::amdgcn_cubetc},
};

const Row* row_of(const llvm::IntrinsicInst& call) {
  const auto* const row = std::ranges::find(rows, call.getIntrinsicID(), &Row::intrinsic);
  return row == std::end(rows) ? nullptr : row;
}

/// "__heddle_amdgcn_ds_permute" for llvm.amdgcn.ds.permute; with "_i32" for the intrinsic of i32.
std::string function_name(const llvm::IntrinsicInst& call, Form form) {
  const llvm::StringRef base =
      ID::getBaseName(call.getIntrinsicID()).drop_front(llvm::StringRef("llvm.").size());
  std::string name = "__heddle_" + base.str();
  if (form == Form::suffixed) {
    const bool by_argument = call.getType()->isIntegerTy(1);
    const llvm::Type& type = by_argument ? *call.getArgOperand(0)->getType() : *call.getType();
    name += (type.isFloatingPointTy() ? "_f" : "_i") + std::to_string(type.getScalarSizeInBits());
  }
  std::ranges::replace(name, '.', '_');
  return name;
}

llvm::FunctionCallee declare(llvm::IntrinsicInst& call, const std::string& name, llvm::FunctionType* type) {
  llvm::FunctionCallee callee = call.getModule()->getOrInsertFunction(name, type);
  auto* const function = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  if (function == nullptr || !function->isDeclaration()) return callee;
  function->setVisibility(
      llvm::GlobalValue::HiddenVisibility);  // the device library defines it, no other module
  if (call.isConvergent()) function->setConvergent();
  if (call.doesNotAccessMemory()) function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  return callee;
}

/// Returns the 32-bit words of a value, the last of which may have bits that mean nothing.
std::vector<llvm::Value*> words_of(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* const type = value->getType();
  const llvm::DataLayout& data = builder.GetInsertBlock()->getDataLayout();
  const auto bits = static_cast<unsigned>(data.getTypeSizeInBits(type).getFixedValue());
  if (type->isPointerTy()) value = builder.CreatePtrToInt(value, builder.getIntNTy(bits));
  value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  const unsigned count = (bits + 31) / 32;
  value = builder.CreateZExt(value, builder.getIntNTy(count * 32));
  std::vector<llvm::Value*> words;
  words.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    words.push_back(builder.CreateTrunc(builder.CreateLShr(value, uint64_t{i} * 32), builder.getInt32Ty()));
  return words;
}

llvm::Value* value_of(llvm::IRBuilder<>& builder, const std::vector<llvm::Value*>& words, llvm::Type* type) {
  auto* const wide = builder.getIntNTy(static_cast<unsigned>(words.size()) * 32);
  llvm::Value* value = llvm::ConstantInt::get(wide, 0);
  for (size_t i = 0; i < words.size(); ++i)
    value = builder.CreateOr(value, builder.CreateShl(builder.CreateZExt(words[i], wide), uint64_t{i} * 32));
  const llvm::DataLayout& data = builder.GetInsertBlock()->getDataLayout();
  const auto bits = static_cast<unsigned>(data.getTypeSizeInBits(type).getFixedValue());
  value = builder.CreateTrunc(value, builder.getIntNTy(bits));
  return type->isPointerTy() ? builder.CreateIntToPtr(value, type) : builder.CreateBitCast(value, type);
}

/// Whether an argument is of the type of the result, which is moved by words.
bool is_value(const Row& row, unsigned argument) {
  // The previous contents that a lane keeps are the last argument of writelane.
  return argument < row.values || (row.intrinsic == ID::amdgcn_writelane && argument == 2);
}

llvm::Value* by_words(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& call, const Row& row) {
  std::vector<llvm::Type*> types;
  types.reserve(call.arg_size());
  std::vector<std::vector<llvm::Value*>> words(call.arg_size());
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* const argument = call.getArgOperand(i);
    const bool moved = is_value(row, i);
    types.push_back(moved ? builder.getInt32Ty() : argument->getType());
    if (moved) words[i] = words_of(builder, argument);
  }
  const llvm::FunctionCallee function = declare(call, function_name(call, row.form),
                                                llvm::FunctionType::get(builder.getInt32Ty(), types, false));
  std::vector<llvm::Value*> results(words[0].size());
  for (size_t word = 0; word < results.size(); ++word) {
    std::vector<llvm::Value*> arguments;
    arguments.reserve(call.arg_size());
    for (unsigned i = 0; i < call.arg_size(); ++i)
      arguments.push_back(words[i].empty() ? call.getArgOperand(i) : words[i][word]);
    results[word] = builder.CreateCall(function, arguments);
  }
  return value_of(builder, results, call.getType());
}

void replace(llvm::IntrinsicInst& call, const Row& row) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* result = nullptr;
  if (row.form == Form::words) {
    result = by_words(builder, call, row);
  } else {
    const llvm::FunctionCallee function =
        declare(call, function_name(call, row.form), call.getFunctionType());
    result = builder.CreateCall(function, std::vector<llvm::Value*>(call.arg_begin(), call.arg_end()));
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// llvm.amdgcn.fcmp is a ballot of a comparison.
void replace_comparison(llvm::IntrinsicInst& call) {
  const auto predicate = static_cast<llvm::CmpInst::Predicate>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue());
  if (!llvm::FCmpInst::isFPPredicate(predicate)) return;  // reported when it is translated
  llvm::IRBuilder<> builder(&call);
  llvm::Value* const condition = builder.CreateFCmp(predicate, call.getArgOperand(0), call.getArgOperand(1));
  call.replaceAllUsesWith(builder.CreateIntrinsic(ID::amdgcn_ballot, {call.getType()}, {condition}));
  call.eraseFromParent();
}

}  // namespace

void replace_amdgcn_intrinsics(llvm::Module& module) {
  std::vector<llvm::IntrinsicInst*> found;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) found.push_back(call);
  for (llvm::IntrinsicInst* const call : found) {
    if (call->getIntrinsicID() == ID::amdgcn_fcmp)
      replace_comparison(*call);
    else if (const Row* const row = row_of(*call))
      replace(*call, *row);
  }
}

}  // namespace heddle::compiler
