// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linearisation of random functions: executed by a wave in lock-step, and compiled and executed by one
// work-item.
#include <gtest/gtest.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/linearise.h"
#include "finalizer/spmd/verify.h"
#include "linearised.h"
#include "program_generator.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::tested_mask;

/// What a seed stands for.
struct Sample {
  explicit Sample(uint32_t seed, Style style)
      : random(seed), module(generate_program(context, style, seed)), entry_mask(EntryMask(seed % 2)) {
    const unsigned forced = seed % 3 == 0 ? 10 : 0;
    linearised = std::make_unique<Linearised>(
        *module, entry_mask, [&](const llvm::Instruction&) { return random() % 100 < forced; });
  }
  llvm::Function& original() { return *module->getFunction("f"); }

  llvm::LLVMContext context;
  std::mt19937 random;
  std::unique_ptr<llvm::Module> module;
  EntryMask entry_mask;
  std::unique_ptr<Linearised> linearised;
};

class LineariseRandom : public ::testing::TestWithParam<Style> {};

TEST_P(LineariseRandom, WavesDoWhatTheirWorkItemsDo) {
  for (uint32_t seed = 0; seed < 2500; ++seed) {
    Sample sample(seed, GetParam());
    ASSERT_EQ(sample.linearised->broken(), "") << "seed " << seed;
    const auto verdict = finalizer::spmd::verify(sample.linearised->state());
    ASSERT_TRUE(verdict.ok()) << "seed " << seed << ": " << verdict.error().message
                              << sample.linearised->text();
    ASSERT_EQ(difference(sample.original(), *sample.linearised, sample.entry_mask, sample.random, 3), "")
        << "seed " << seed << sample.linearised->text();
  }
}

INSTANTIATE_TEST_SUITE_P(Styles, LineariseRandom, ::testing::Values(Style::structured, Style::unstructured),
                         [](const auto& info) {
                           return info.param == Style::structured ? "Structured" : "Unstructured";
                         });

}  // namespace
}  // namespace heddle::testing
