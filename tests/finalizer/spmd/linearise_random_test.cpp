// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linearisation of random functions: executed by a wave in lock-step, and compiled and executed by one
// work-item.
#include <gtest/gtest.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "../jit_runner.h"
#include "finalizer/spmd/linearise.h"
#include "finalizer/spmd/verify.h"
#include "linearised.h"
#include "program_generator.h"

namespace heddle::testing {
namespace {

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
    const auto verdict = finalizer::spmd::verify(sample.linearised->state(), Linearised::request());
    ASSERT_TRUE(verdict.ok()) << "seed " << seed << ": " << verdict.error().message
                              << sample.linearised->text();
    ASSERT_EQ(difference(sample.original(), *sample.linearised, sample.entry_mask, sample.random, 3), "")
        << "seed " << seed << sample.linearised->text();
  }
}

// ---- one work-item, compiled

/// What compiled functions have passed to @note.
std::vector<uint32_t>& notes() {
  static std::vector<uint32_t> all;
  return all;
}
void note(uint32_t value) { notes().push_back(value); }

using Compiled = uint32_t (*)(uint32_t* memory, uint32_t a, uint32_t b, uint32_t u, uint32_t v, bool active);

/// Everything that can be seen of one execution.
struct Seen {
  std::vector<uint32_t> memory, notes;
  uint32_t result = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

HEDDLE_TEST_CALLS_LOADED_CODE Seen execute(Compiled function, const WaveInput& input, unsigned lane) {
  Seen seen = {input.memory[lane], {}, 0};
  notes().clear();
  const auto argument = [&](unsigned i) { return static_cast<uint32_t>(input.arguments[i][lane]); };
  seen.result = function(seen.memory.data(), argument(0), argument(1), argument(2), argument(3), true);
  seen.notes = notes();
  return seen;
}

/// Functions with and without linearisation, in one module, because compiling modules one by one takes
/// longer.
class Batch {
 public:
  explicit Batch(Style style) : style_(style), module_(std::make_unique<llvm::Module>("batch", *context_)) {}

  void add(uint32_t seed) {
    auto original = generate_program(*context_, style_, seed);
    Linearised linearised(*original, EntryMask(seed % 2), [](const auto&) { return false; });
    take(llvm::CloneModule(*linearised.function().getParent()), name("linearised", seed));
    take(std::move(original), name("original", seed));
  }

  void compile() {
    if (llvm::Function* any = module_->getFunction("hsail.any"))
      llvm::ReturnInst::Create(*context_, any->getArg(0), llvm::BasicBlock::Create(*context_, "", any));
    auto target = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
    target.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(target)).create());
    module_->setDataLayout(jit_->getDataLayout());
    const auto symbol =
        llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(&note), llvm::JITSymbolFlags::Exported);
    llvm::cantFail(jit_->getMainJITDylib().define(
        llvm::orc::absoluteSymbols({{jit_->mangleAndIntern("note"), symbol}})));
    llvm::cantFail(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module_), std::move(context_))));
  }

  Compiled find(const char* kind, uint32_t seed) {
    return llvm::cantFail(jit_->lookup(name(kind, seed))).toPtr<Compiled>();
  }

 private:
  static std::string name(const char* kind, uint32_t seed) { return kind + std::to_string(seed); }
  void take(std::unique_ptr<llvm::Module> source, const std::string& name) {
    source->getFunction("f")->setName(name);
    ASSERT_FALSE(llvm::Linker::linkModules(*module_, std::move(source)));
  }

  Style style_;
  std::unique_ptr<llvm::LLVMContext> context_ = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

TEST_P(LineariseRandom, OneWorkItemDoesWhatItDid) {
  constexpr uint32_t batches = 10, seeds = 100;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  for (uint32_t first = 0; first < batches * seeds; first += seeds) {
    Batch batch(GetParam());
    for (uint32_t seed = first; seed < first + seeds; ++seed) batch.add(seed);
    batch.compile();
    for (uint32_t seed = first; seed < first + seeds; ++seed) {
      std::mt19937 random(seed);
      const WaveInput input = random_input(random, EntryMask::all);
      for (unsigned lane = 0; lane < input.lanes; ++lane)
        ASSERT_EQ(execute(batch.find("linearised", seed), input, lane),
                  execute(batch.find("original", seed), input, lane))
            << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Styles, LineariseRandom, ::testing::Values(Style::structured, Style::unstructured),
                         [](const auto& info) {
                           return info.param == Style::structured ? "Structured" : "Unstructured";
                         });

}  // namespace
}  // namespace heddle::testing
