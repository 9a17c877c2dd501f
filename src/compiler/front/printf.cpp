// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/printf.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/xxhash.h>

#include <optional>
#include <vector>

#include "compiler/front/passes.h"

namespace heddle::compiler {
namespace {

/// For each argument behind the format: the bytes that LLVM's pass really writes, if they are not those that
/// it says.
using RightSizes = std::vector<std::optional<size_t>>;

/// The pass says of a string whose length is a multiple of 4 that its record has room for the NUL, and leaves
/// none (LLVM 22): all that follows would be read from the wrong place.
std::optional<size_t> right_size(const llvm::Value& argument) {
  llvm::StringRef text;
  if (!argument.getType()->isPointerTy() || !llvm::getConstantStringInfo(&argument, text))
    return std::nullopt;
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  return text.size();
}

/// Returns the sizes for all calls in the order of uses, in which the pass numbers them.
std::vector<RightSizes> right_sizes(const llvm::Function& printf) {
  std::vector<RightSizes> result;
  for (const llvm::User* user : printf.users()) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != &printf) continue;
    RightSizes sizes;
    for (unsigned i = 1; i < call->arg_size(); ++i) sizes.push_back(right_size(*call->getArgOperand(i)));
    result.push_back(std::move(sizes));
  }
  return result;
}

/// Returns the format "NUMBER:ARGUMENTS:SIZE:...:TEXT" with the right sizes. Records keep their lengths, so
/// that what strings do not fill becomes further arguments, which the text does not use.
std::string corrected(llvm::StringRef format, const RightSizes& sizes) {
  auto [number, rest] = format.split(':');
  auto [count, sizes_and_text] = rest.split(':');
  size_t arguments = 0;
  if (count.getAsInteger(10, arguments) || arguments != sizes.size()) return format.str();
  std::string list, fillers;
  for (const std::optional<size_t>& size : sizes) {
    const auto [said, behind] = sizes_and_text.split(':');
    list += ":" + (size ? std::to_string(*size) : said.str());
    if (size) fillers += ":4";
    sizes_and_text = behind;
  }
  arguments += fillers.size() / 2;
  return (number + ":" + llvm::Twine(arguments) + list + fillers + ":" + sizes_and_text).str();
}

/// `before` is the number of formats that the module had already.
void correct_formats(llvm::Module& module, unsigned before, const std::vector<RightSizes>& sizes) {
  llvm::NamedMDNode* const formats = module.getNamedMetadata("llvm.printf.fmts");
  if (formats == nullptr || formats->getNumOperands() != before + sizes.size()) return;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    const llvm::MDNode* const node = formats->getOperand(before + i);
    const auto* const text = llvm::dyn_cast<llvm::MDString>(node->getOperand(0));
    if (text == nullptr) continue;
    const std::string right = corrected(text->getString(), sizes[i]);
    formats->setOperand(
        before + i, llvm::MDNode::get(module.getContext(), llvm::MDString::get(module.getContext(), right)));
  }
}

/// Returns the calls of the function that makes room for records.
llvm::SmallPtrSet<llvm::Value*, 16> allocations(llvm::Module& module) {
  llvm::SmallPtrSet<llvm::Value*, 16> calls;
  if (llvm::Function* const allocate = module.getFunction("__printf_alloc"))
    for (llvm::User* user : allocate->users())
      if (llvm::isa<llvm::CallInst>(user)) calls.insert(user);
  return calls;
}

/// A number that a format keeps wherever it is, above all lengths of HIP's records, which stand at the same
/// place.
uint32_t lasting_number(llvm::StringRef format) {
  constexpr uint32_t top = 0x80000000;
  return top | static_cast<uint32_t>(llvm::xxh3_64bits(format));
}

/// Replaces the number of the format that a new record begins with.
void renumber_record(llvm::Value& record, const llvm::DenseMap<uint64_t, uint32_t>& numbers) {
  for (llvm::User* user : record.users()) {
    auto* const store = llvm::dyn_cast<llvm::StoreInst>(user);
    const auto* const place = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    if (llvm::isa<llvm::CastInst>(user) || (place != nullptr && place->hasAllZeroIndices()))
      renumber_record(*user, numbers);
    if (store == nullptr || store->getPointerOperand() != &record) continue;
    const auto* const old = llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
    const auto number = old == nullptr ? numbers.end() : numbers.find(old->getZExtValue());
    if (number != numbers.end()) store->setOperand(0, llvm::ConstantInt::get(old->getType(), number->second));
  }
}

/// The pass numbers the formats of a module from 1 on. Modules that run together and share a buffer must not
/// have the same numbers for different formats, so each gets a number that follows from its text.
void renumber_formats(llvm::Module& module, unsigned before,
                      const llvm::SmallPtrSetImpl<llvm::Value*>& known) {
  llvm::NamedMDNode* const formats = module.getNamedMetadata("llvm.printf.fmts");
  if (formats == nullptr) return;
  llvm::DenseMap<uint64_t, uint32_t> numbers;
  for (unsigned i = before; i < formats->getNumOperands(); ++i) {
    const auto* const text = llvm::dyn_cast<llvm::MDString>(formats->getOperand(i)->getOperand(0));
    if (text == nullptr) continue;
    const auto [number, rest] = text->getString().split(':');
    uint64_t old = 0;
    if (number.getAsInteger(10, old)) continue;
    numbers[old] = lasting_number(rest);
    const std::string renamed = (llvm::Twine(numbers[old]) + ":" + rest).str();
    formats->setOperand(
        i, llvm::MDNode::get(module.getContext(), llvm::MDString::get(module.getContext(), renamed)));
  }
  for (llvm::Value* record : allocations(module))
    if (!known.contains(record)) renumber_record(*record, numbers);
}

unsigned format_count(const llvm::Module& module) {
  const llvm::NamedMDNode* const formats = module.getNamedMetadata("llvm.printf.fmts");
  return formats == nullptr ? 0 : formats->getNumOperands();
}

}  // namespace

void expand_printf(llvm::Module& module) {
  const llvm::Function* const function = module.getFunction("printf");
  if (function == nullptr || function->use_empty()) return;
  const auto machine = device(module);
  if (machine == nullptr) return;  // calls of printf are reported as calls of a missing function
  const std::vector<RightSizes> sizes = right_sizes(*function);
  const unsigned before = format_count(module);
  const auto known = allocations(module);
  llvm::PassBuilder builder(machine.get());
  Analyses analyses(builder, machine.get());
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, "amdgpu-printf-runtime-binding")) {
    llvm::consumeError(std::move(error));
    return;
  }
  passes.run(module, analyses.modules);
  // The device library defines the function, not other modules.
  if (llvm::Function* const allocate = module.getFunction("__printf_alloc"))
    allocate->setVisibility(llvm::GlobalValue::HiddenVisibility);
  correct_formats(module, before, sizes);
  renumber_formats(module, before, known);
}

}  // namespace heddle::compiler
