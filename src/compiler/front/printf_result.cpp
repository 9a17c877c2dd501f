// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of printf in HIP: clang's code for -mprintf-kind=buffered returns 0, or -1 where the record
// finds no room.
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <map>
#include <optional>

#include "compiler/front/printf.h"

namespace heddle::compiler {
namespace {

namespace match = llvm::PatternMatch;

constexpr const char* result_function = "__heddle_printf_result";
constexpr const char* result_function_without_floats = "__heddle_printf_result_without_floats";
constexpr unsigned constant_space = 4, global_space = 1;
constexpr uint64_t hash_offset = 4;  // in a record

using Formats = std::map<uint64_t, llvm::StringRef>;

/// Returns the formats for which records have hashes: "0:0:HASH,TEXT".
Formats hashed_formats(const llvm::Module& module) {
  Formats formats;
  const llvm::NamedMDNode* const nodes = module.getNamedMetadata("llvm.printf.fmts");
  if (nodes == nullptr) return formats;
  for (const llvm::MDNode* node : nodes->operands()) {
    const auto* const text = llvm::dyn_cast<llvm::MDString>(node->getOperand(0));
    llvm::StringRef rest = text == nullptr ? "" : text->getString();
    uint64_t hash = 0;
    if (!rest.consume_front("0:0:") || rest.consumeInteger(16, hash) || !rest.consume_front(",")) continue;
    formats.emplace(hash, rest);
  }
  return formats;
}

/// Returns what is stored at a place of a record; null if that is not one value.
const llvm::Value* stored_at(const llvm::Value& pointer, uint64_t offset, const llvm::DataLayout& layout) {
  for (const llvm::User* user : pointer.users()) {
    const auto* const store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store != nullptr && offset == 0 && store->getPointerOperand() == &pointer)
      return store->getValueOperand();
    const auto* const place = llvm::dyn_cast<llvm::GEPOperator>(user);
    llvm::APInt distance(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
    if (place == nullptr || !place->accumulateConstantOffset(layout, distance) || distance.ugt(offset))
      continue;
    if (const llvm::Value* found = stored_at(*place, offset - distance.getZExtValue(), layout)) return found;
  }
  return nullptr;
}

/// The format of a record of HIP: its text, or nothing if the record has the format itself.
using Format = std::optional<llvm::StringRef>;

/// Returns false if this is no record of HIP, or none that can be understood.
bool find_format(const llvm::CallInst& record, const Formats& formats, Format& format) {
  const llvm::DataLayout& layout = record.getModule()->getDataLayout();
  const auto* const hash = llvm::dyn_cast_or_null<llvm::ConstantInt>(stored_at(record, hash_offset, layout));
  const auto found = hash == nullptr ? formats.end() : formats.find(hash->getZExtValue());
  if (found != formats.end()) {
    format = found->second;
    return true;
  }
  if (hash != nullptr) return false;  // the module does not say which format that is
  // Records of OpenCL C begin with a constant, the number of their format. A record of HIP that contains its
  // format begins with its length, which is not known before the kernel runs.
  const llvm::Value* const control = stored_at(record, 0, layout);
  return control != nullptr && !llvm::isa<llvm::Constant>(control);
}

/// Whether a conversion of a format may be one of floating-point numbers.
bool has_floats(const Format& format) {
  if (!format) return true;
  for (size_t at = format->find('%'); at != llvm::StringRef::npos; at = format->find('%', at + 1)) {
    const size_t letter = format->find_first_not_of("-+ #0123456789.*hljztqL", at + 1);
    if (letter == llvm::StringRef::npos) break;
    if (llvm::StringRef("aAeEfFgG").contains((*format)[letter])) return true;
  }
  return false;
}

/// Returns the values that are -1 if there is no record, and otherwise 0.
llvm::SmallVector<llvm::Instruction*, 2> results(llvm::CallInst& record) {
  llvm::SmallVector<llvm::Instruction*, 2> found;
  const auto add = [&](llvm::Value& is_missing) {
    for (llvm::User* user : is_missing.users())
      if (llvm::isa<llvm::SExtInst>(user) && user->getType()->isIntegerTy(32) && !user->use_empty())
        found.push_back(llvm::cast<llvm::Instruction>(user));
  };
  for (llvm::User* user : record.users()) {
    auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(user);
    if (compare == nullptr || !match::match(compare->getOperand(1), match::m_Zero())) continue;
    if (compare->getPredicate() == llvm::ICmpInst::ICMP_EQ) add(*compare);
    if (compare->getPredicate() != llvm::ICmpInst::ICMP_NE) continue;
    for (llvm::User* negation : compare->users())
      if (match::match(negation, match::m_Not(match::m_Specific(compare)))) add(*negation);
  }
  return found;
}

class Lengths {
 public:
  explicit Lengths(llvm::Module& module) : module_(module), formats_(hashed_formats(module)) {}

  void add_to(llvm::CallInst& record) {
    Format format;
    const auto replaced = results(record);
    if (replaced.empty() || !find_format(record, formats_, format)) return;
    for (llvm::Instruction* result : replaced) {
      llvm::IRBuilder<> builder(result);
      result->replaceAllUsesWith(builder.CreateCall(function(format), {&record, pointer_to(format)}));
      result->eraseFromParent();
    }
  }

 private:
  llvm::FunctionCallee function(const Format& format) {
    llvm::LLVMContext& context = module_.getContext();
    auto callee = module_.getOrInsertFunction(
        has_floats(format) ? result_function : result_function_without_floats,
        llvm::Type::getInt32Ty(context), llvm::PointerType::get(context, global_space),
        llvm::PointerType::get(context, 0));
    // The device library defines the function, not other modules.
    llvm::cast<llvm::Function>(callee.getCallee())->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return callee;
  }

  llvm::Constant* pointer_to(const Format& format) {
    llvm::PointerType* const flat = llvm::PointerType::get(module_.getContext(), 0);
    if (!format) return llvm::ConstantPointerNull::get(flat);
    llvm::Constant*& text = texts_[*format];
    if (text == nullptr) {
      llvm::Constant* const characters = llvm::ConstantDataArray::getString(module_.getContext(), *format);
      auto* const variable = new llvm::GlobalVariable(
          module_, characters->getType(), true, llvm::GlobalValue::PrivateLinkage, characters,
          "printf_format", nullptr, llvm::GlobalValue::NotThreadLocal, constant_space);
      text = llvm::ConstantExpr::getAddrSpaceCast(variable, flat);
    }
    return text;
  }

  llvm::Module& module_;
  const Formats formats_;
  std::map<llvm::StringRef, llvm::Constant*> texts_;
};

}  // namespace

void return_printf_lengths(llvm::Module& module) {
  llvm::Function* const allocate = module.getFunction("__printf_alloc");
  if (allocate == nullptr) return;
  Lengths lengths(module);
  llvm::SmallVector<llvm::CallInst*, 16> records;
  for (llvm::User* user : allocate->users())
    if (auto* const call = llvm::dyn_cast<llvm::CallInst>(user)) records.push_back(call);
  for (llvm::CallInst* record : records) lengths.add_to(*record);
}

}  // namespace heddle::compiler
