// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/addresses.h"

#include <map>

#include <fmt/format.h>

#include "codeobject/ptx_kernel.h"
#include "finalizer/fields.h"
#include "finalizer/lower/target_operations.h"
#include "finalizer/ptx/machine.h"

namespace heddle::finalizer::ptx {
namespace {

using codeobject::Relocation;

/// The table of addresses, whose size is known when all calls have been seen.
class AddressTable {
 public:
  AddressTable(llvm::Module& module, const ObjectSymbols& symbols, codeobject::CodeObject& object)
      : module_(module), symbols_(symbols), object_(object) {}

  Result<void> lower(TargetOperation operation, Relocation::What what);
  void create();

 private:
  static constexpr uint64_t word_size = 8;

  llvm::Module& module_;
  const ObjectSymbols& symbols_;
  codeobject::CodeObject& object_;
  std::vector<std::pair<llvm::CallInst*, uint64_t>> uses_;  ///< calls, and the words that replace them
};

Result<void> AddressTable::lower(TargetOperation operation, Relocation::What what) {
  llvm::Function* function = declare(module_, operation);
  std::map<int32_t, uint64_t> words;
  for (llvm::User* user : function->users()) {
    auto& call = llvm::cast<llvm::CallInst>(*user);
    const auto symbol = static_cast<int32_t>(constant_argument(call, 0));
    const auto index = symbols_.find(symbol);
    if (!index) return Error{"an address is taken of something that the program does not define"};
    const auto [word, is_new] = words.try_emplace(symbol, object_.data.size());
    uses_.emplace_back(&call, word->second);
    if (!is_new) continue;
    Relocation relocation;
    relocation.what = what;
    relocation.offset = word->second;
    relocation.symbol = *index;
    object_.relocations.push_back(relocation);
    object_.data.resize(object_.data.size() + word_size);
  }
  return {};
}

void AddressTable::create() {
  if (!object_.data.empty()) {
    llvm::LLVMContext& context = module_.getContext();
    auto* type = llvm::ArrayType::get(llvm::Type::getInt64Ty(context), object_.data.size() / word_size);
    auto* table = new llvm::GlobalVariable(
        module_, type, false, llvm::GlobalValue::ExternalLinkage, llvm::ConstantAggregateZero::get(type),
        ptx_kernel::address_table_symbol, nullptr, llvm::GlobalValue::NotThreadLocal, constant_space, true);
    table->setAlignment(llvm::Align(word_size));
    for (const auto& [call, offset] : uses_) {
      llvm::IRBuilder<> ir(call);
      const Fields fields(ir, table);
      call->replaceAllUsesWith(unchanging(fields.load_i64(offset)));
      call->eraseFromParent();
    }
  }
}

void lower_function_handles(llvm::Module& module, const SpmdProgram& spmd) {
  llvm::Function* operation = declare(module, TargetOperation::function_handle);
  for (llvm::User* user : llvm::make_early_inc_range(operation->users())) {
    auto& call = llvm::cast<llvm::CallInst>(*user);
    const auto symbol = static_cast<int32_t>(constant_argument(call, 0));
    const auto found = llvm::find_if(spmd.functions, [&](const auto& f) { return f.symbol == symbol; });
    assert(found != spmd.functions.end() && "linking refuses indirect functions without a definition");
    llvm::IRBuilder<> ir(&call);
    call.replaceAllUsesWith(ir.CreatePtrToInt(found->function, call.getType()));
    call.eraseFromParent();
  }
}

void add_function_table(SpmdProgram& spmd, const ObjectSymbols& symbols, size_t count) {
  if (spmd.functions.empty()) return;
  llvm::Module& module = *spmd.module;
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* type = llvm::ArrayType::get(pointer, count);
  llvm::SmallVector<llvm::Constant*, 8> words(count, llvm::ConstantPointerNull::get(pointer));
  for (const SpmdIndirectFunction& indirect : spmd.functions) {
    words[symbols[indirect.symbol]] = indirect.function;
    indirect.function->setName(function_name(symbols[indirect.symbol]));
    indirect.function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  auto* table = new llvm::GlobalVariable(
      module, type, true, llvm::GlobalValue::ExternalLinkage, llvm::ConstantArray::get(type, words),
      ptx_kernel::function_table_symbol, nullptr, llvm::GlobalValue::NotThreadLocal, global_space);
  table->setAlignment(llvm::Align(8));
}

}  // namespace

std::string function_name(size_t function) { return fmt::format("hsail_function_{}", function); }

Result<void> lower_addresses(SpmdProgram& spmd, const ObjectSymbols& symbols,
                             codeobject::CodeObject& object) {
  AddressTable table(*spmd.module, symbols, object);
  const std::pair<TargetOperation, Relocation::What> kinds[] = {
      {TargetOperation::variable_address, Relocation::What::variable},
      {TargetOperation::kernel_handle, Relocation::What::kernel}};
  for (const auto& [operation, what] : kinds)
    if (auto done = table.lower(operation, what); !done.ok()) return done;
  table.create();
  lower_function_handles(*spmd.module, spmd);
  add_function_table(spmd, symbols, object.functions.size());
  return {};
}

}  // namespace heddle::finalizer::ptx
