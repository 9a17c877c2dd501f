// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linearised.h"

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/linearise.h"
#include "finalizer/spmd/prepare.h"
#include "reference_shapes.h"

namespace heddle::testing {

namespace spmd = finalizer::spmd;

Linearised::Linearised(const llvm::Module& original, EntryMask entry_mask,
                       llvm::function_ref<bool(const llvm::Instruction&)> forces_varying)
    : module_(llvm::CloneModule(original)) {
  llvm::Function& function = *module_->getFunction("f");
  spmd::make_canonical(function);
  llvm::DenseSet<const llvm::Value*> varying = {function.getArg(1), function.getArg(2), function.getArg(5)};
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (!instruction.getType()->isVoidTy() && forces_varying(instruction)) varying.insert(&instruction);
  llvm::Value* mask = function.getArg(5);
  if (entry_mask == EntryMask::all) mask = llvm::ConstantInt::getTrue(function.getContext());
  state_.reset(new spmd::SpmdFunction{function, reference_shapes(function, varying), mask, {}, {}});
  spmd::chain_divergent_switches(function, state_->shapes);
  spmd::linearise(*state_);
}

spmd::ShapeRequest Linearised::request() {
  spmd::ShapeRequest request;
  request.lanes = 4;
  return request;
}

std::string Linearised::text() const {
  std::string text;
  llvm::raw_string_ostream(text) << state_->function;
  return text;
}

std::string Linearised::broken() const {
  std::string why;
  llvm::raw_string_ostream out(why);
  return llvm::verifyFunction(state_->function, &out) ? why : "";
}

WaveInput random_input(std::mt19937& random, EntryMask entry_mask) {
  WaveInput input;
  input.lanes = 4;
  input.arguments.resize(5);
  const uint64_t uniform[2] = {random() % 6, random() % 6};
  for (unsigned lane = 0; lane < input.lanes; ++lane) {
    for (unsigned i = 0; i < 2; ++i) input.arguments[i].push_back(random() % 6);
    for (unsigned i = 0; i < 2; ++i) input.arguments[2 + i].push_back(uniform[i]);
    input.arguments[4].push_back(entry_mask == EntryMask::all || random() % 2 == 0);
    auto& memory = input.memory.emplace_back();
    for (unsigned i = 0; i < memory_words; ++i) memory.push_back(random() % 8);
  }
  input.arguments[4][random() % input.lanes] = 1;
  return input;
}

std::string difference(const llvm::Function& original, Linearised& linearised, EntryMask entry_mask,
                       std::mt19937& random, unsigned inputs) {
  for (unsigned n = 0; n < inputs; ++n) {
    const WaveInput input = random_input(random, entry_mask);
    const WaveOutcome expected = run_separately(original, input);
    if (!expected.error.empty()) return "the test itself is wrong: " + expected.error;
    const WaveOutcome actual = run_together(linearised.state(), input);
    if (!actual.error.empty()) return actual.error;
    for (unsigned lane = 0; lane < input.lanes; ++lane) {
      const bool is_active = input.arguments[4][lane] != 0;
      const LaneOutcome untouched = {input.memory[lane], {}, 0};
      if (actual.lanes[lane] != (is_active ? expected.lanes[lane] : untouched))
        return fmt::format("work-item {}: result {} instead of {}, or other effects", lane,
                           actual.lanes[lane].result, expected.lanes[lane].result);
    }
  }
  return "";
}

}  // namespace heddle::testing
