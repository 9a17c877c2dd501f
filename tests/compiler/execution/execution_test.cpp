// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs each operation of operations.c on every kernel agent, at two levels of optimisation and with hardly
// any registers, and compares the results with those of the host.
#include <map>
#include <memory>
#include <optional>

#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <hsail/hsail.hpp>

#include "compiler/translate.h"
#include "hsa_session.h"

extern "C" {
struct operation {
  const char* name;
  void (*function)(uint64_t, uint64_t, uint64_t, uint64_t*);
  operation* next;
};
extern operation* operations;
}

namespace {

// Patterns that are edges of some type, and some that are nothing in particular.
constexpr uint64_t edges[] = {
    0, 1, 2, 3, 5, 7, 15, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fffff,
    0x800000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffff, 0x7fffffffffffffff,
    0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffffe, 0xffffffff80000000,
    // f32: 1, -1, 0.5, 1.5, -2.5, smallest, largest subnormal, smallest normal, largest, infinities, NaN
    0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0xc0200000, 0x80000001, 0x007fffff, 0x7f7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x3f7fffff, 0x4b000001, 0xcf000000, 0x4f7fffff, 0x3f800080,
    0x3f808000, 0x3f818000,
    // f64: the same
    0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x4004000000000000, 0x000fffffffffffff,
    0x0010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0x3fefffffffffffff, 0x4330000000000001, 0x36a0000000000001, 0x47efffffe0000000, 0x3810000000000000,
    0x3ff0100000000000, 0x3ff0100000000001,
    // f16 and bfloat: 1, -1.5, subnormal, largest, infinity
    0x3c00, 0xbe00, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x3c01, 0x3f80, 0xbfc0, 0x7f7f, 0x7f80,
    0x0123456789abcdef, 0xdeadbeefcafebabe, 0x8421084210842108, 1000000, 0xffffffffffffff85};

struct Input {
  uint64_t a, b, c;
};
struct Output {
  uint64_t low, high;
  bool operator==(const Output&) const = default;
};

std::vector<Input> inputs() {
  std::vector<Input> all;
  uint64_t state = 1;
  for (const uint64_t a : edges) {
    // Each pattern with about every third of the others, differently each time.
    for (const uint64_t b : edges) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      if ((state >> 60) > 5) continue;
      const uint64_t c = edges[(state >> 33) % std::size(edges)];
      all.push_back({a, b, c});
      if ((state >> 60) == 0) all.push_back({state, a, state * b});
    }
  }
  return all;
}

struct Setting {
  const char* name;
  int level;
  uint32_t c_registers = 128;
  uint32_t register_words = 2048;
};

std::vector<char> compile(const Setting& setting) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic mistake;
  const std::string file =
      std::string(OPERATIONS_FOLDER) + "/operations-O" + std::to_string(setting.level) + ".bc";
  const auto module = llvm::parseIRFile(file, mistake, context);
  if (!module) throw examples::Error(file + ": " + mistake.getMessage().str());
  heddle::Diagnostics diagnostics(file);
  heddle::compiler::TranslateOptions options;
  options.level = static_cast<heddle::compiler::Level>('0' + setting.level);
  options.c_registers = setting.c_registers;
  options.register_words = setting.register_words;
  const auto text = translate(*module, options, diagnostics);
  if (!text) throw examples::Error(diagnostics.print());
  const auto brig = hsail::assemble(*text, file);
  if (!brig) throw examples::Error(brig.diagnostics());
  const auto* bytes = static_cast<const char*>(brig->data());
  return {bytes, bytes + brig->size()};
}

// The runtime with its agents; kept open for the whole process.
struct System {
  examples::Runtime runtime;
  std::vector<examples::Agent> agents = examples::kernel_agents();
};

System& the_system() {
  static System system;
  return system;
}

class Operations : public testing::TestWithParam<Setting> {};

TEST_P(Operations, HaveTheResultsOfTheHost) {
  const std::vector<char> module = compile(GetParam());
  const std::vector<Input> given = inputs();
  ASSERT_GT(the_system().agents.size(), 0U);
  for (const examples::Agent& agent : the_system().agents) {
    SCOPED_TRACE(agent.name);
    const examples::Executable executable(agent, module);
    examples::Queue queue(agent);
    examples::Buffer<Input> in(agent, given.size());
    examples::Buffer<Output> results(agent, given.size());
    std::copy(given.begin(), given.end(), in.begin());
    for (const operation* one = operations; one != nullptr; one = one->next) {
      SCOPED_TRACE(one->name);
      const examples::Kernel kernel = executable.kernel((std::string("&kernel_") + one->name).c_str());
      const auto count = static_cast<uint32_t>(given.size());
      std::memset(results.data(), 0xcc, given.size() * sizeof(Output));
      const examples::Arguments arguments(agent, kernel, in.data(), results.data(), count);
      queue.run(kernel, examples::Grid::cover(count, 1, 64, 1), arguments);
      for (size_t i = 0; i < given.size(); ++i) {
        Output expected{0, 0};
        one->function(given[i].a, given[i].b, given[i].c, &expected.low);
        if (expected == results[i]) continue;
        ADD_FAILURE() << std::hex << "a " << given[i].a << " b " << given[i].b << " c " << given[i].c
                      << ": expected " << expected.high << ":" << expected.low << ", got " << results[i].high
                      << ":" << results[i].low;
        break;
      }
    }
  }
}

// With few registers, nearly all values are spilled.
INSTANTIATE_TEST_SUITE_P(Settings, Operations,
                         testing::Values(Setting{"O0", 0}, Setting{"O2", 2},
                                         Setting{"FewRegisters", 2, 4, 32}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
