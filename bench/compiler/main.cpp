// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the steps of the compiler: what each costs for the kernels of bench/kernels, and how the cost
// grows with modules (modules.h). Writes tables in Markdown.
//
//     bench-compiler kernels FILE...       each source of OpenCL C: clang, libraries, passes, translation,
//     assembly bench-compiler growth SIZE...        modules of these numbers of instructions
#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <hsail/hsail.hpp>
#include <stdexcept>

#include "compiler/code/dead_code.h"
#include "compiler/code/fall_through.h"
#include "compiler/code/print.h"
#include "compiler/code/tidy_branches.h"
#include "compiler/emit/function_emitter.h"
#include "compiler/emit/module_emitter.h"
#include "compiler/front/libraries.h"
#include "compiler/front/llvm.h"
#include "compiler/front/math_intrinsics.h"
#include "compiler/front/printf.h"
#include "compiler/front/read.h"
#include "compiler/passes/optimise.h"
#include "compiler/prepare/prepare.h"
#include "compiler/registers/allocate.h"
#include "modules.h"

namespace bench {
namespace {

using namespace heddle::compiler;
using Clock = std::chrono::steady_clock;

/// Milliseconds of each step.
struct Times {
  double clang = 0, libraries = 0, passes = 0, prepare = 0, emit = 0, allocate = 0, text = 0, assemble = 0;
  size_t instructions = 0;  ///< of the IR that is translated
};

/// Adds the time of a call to a counter, and returns the result.
template <typename Function>
auto timed(double& counter, Function function) {
  const auto start = Clock::now();
  struct Stop {
    double& counter;
    Clock::time_point start;
    ~Stop() { counter += std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }
  } stop{counter, start};
  return function();
}

/// Does what emit_module does, function by function, so that emission and allocation have times of their own.
/// What is outside of code blocks is not part of them.
void translate_bodies(llvm::Module& module, Times& times) {
  heddle::Diagnostics diagnostics("bench");
  const TranslateOptions options{.level = Level::none, .source_lines = false};
  timed(times.prepare, [&] { prepare(module, options); });
  ModuleContext context(module, options, diagnostics);
  context.reserve_names();
  std::string text;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    times.instructions += function.getInstructionCount();
    Code code = timed(times.emit, [&] {
      Code made = FunctionEmitter(context, function).run();
      remove_dead_code(made);
      mark_branch_conditions(made);
      return made;
    });
    if (diagnostics.has_errors()) throw std::runtime_error(diagnostics.print());
    timed(times.allocate, [&] { allocate_registers(code, context.text, {}); });
    timed(times.text, [&] {
      tidy_branches(code);
      fall_through(code, context.text);
      print(code, text);
    });
  }
}

std::unique_ptr<llvm::Module> parsed(const std::string& text, llvm::LLVMContext& context) {
  llvm::SMDiagnostic mistake;
  auto module = llvm::parseAssemblyString(text, mistake, context);
  if (!module) throw std::runtime_error("a generated module is wrong: " + mistake.getMessage().str());
  module->setDataLayout(llvm::Triple(target_triple).computeDataLayout());
  return module;
}

/// Of several runs, the least time of each step.
template <typename Function>
Times least(unsigned runs, Function function) {
  Times result = function();
  for (unsigned i = 1; i < runs; ++i) {
    const Times other = function();
    for (double Times::* step : {&Times::clang, &Times::libraries, &Times::passes, &Times::prepare,
                                 &Times::emit, &Times::allocate, &Times::text, &Times::assemble})
      result.*step = std::min(result.*step, other.*step);
  }
  return result;
}

Times times_of_source(const std::string& path) {
  Times times;
  const Messages messages([](const Message& message) { std::fputs(message.display.c_str(), stderr); });
  const std::vector<Source> sources{{path, std::nullopt, Language::opencl}};
  const Options options{.clang = {"-w", "-cl-std=CL3.0"}};
  llvm::LLVMContext context;
  auto module = timed(times.clang, [&] { return read_sources(sources, options, context, messages); });
  if (!module) throw std::runtime_error(path + " does not compile");
  timed(times.libraries, [&] {
    expand_printf(**module);
    replace_math_intrinsics(**module);
    if (!link_libraries(**module, messages))
      throw std::runtime_error(path + " needs functions that are missing");
  });
  timed(times.passes, [&] { optimise(**module, Level::normal); });
  // The whole translation once more, for the text that is assembled.
  auto copy = llvm::CloneModule(**module);
  translate_bodies(**module, times);
  heddle::Diagnostics diagnostics(path);
  const auto text = translate(*copy, {.level = Level::none, .source_lines = false}, diagnostics);
  if (!text) throw std::runtime_error(diagnostics.print());
  if (!timed(times.assemble, [&] { return hsail::assemble(*text, path); }))
    throw std::runtime_error(path + ": the text is wrong");
  return times;
}

void report_kernels(const std::vector<std::string>& paths) {
  fmt::print(
      "| kernel | instructions of IR | clang | libraries | passes | prepare | emit | allocate | text | "
      "assemble | "
      "(emit + allocate) / clang |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const std::string& path : paths) {
    const Times t = least(5, [&] { return times_of_source(path); });
    fmt::print(
        "| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % |\n",
        std::filesystem::path(path).stem().string(), t.instructions, t.clang, t.libraries, t.passes,
        t.prepare, t.emit, t.allocate, t.text, t.assemble, 100 * (t.emit + t.allocate) / t.clang);
  }
}

Times times_of_shape(const Shape& shape, size_t size) {
  Times times;
  llvm::LLVMContext context;
  const std::string text = shape.make(size);
  auto module = parsed(text, context);
  translate_bodies(*module, times);
  module = parsed(text, context);
  timed(times.passes, [&] { optimise(*module, Level::normal); });
  return times;
}

void report_growth(const std::vector<std::string>& sizes) {
  fmt::print(
      "| shape | instructions | passes of -O2 | prepare | emit | allocate | text | microseconds of "
      "translation for an "
      "instruction |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Shape& shape : shapes()) {
    for (const std::string& size : sizes) {
      const Times t = least(3, [&] { return times_of_shape(shape, std::stoul(size)); });
      const double translation = t.prepare + t.emit + t.allocate + t.text;
      fmt::print("| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", shape.what,
                 t.instructions, t.passes, t.prepare, t.emit, t.allocate, t.text,
                 1e3 * translation / static_cast<double>(t.instructions));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() >= 2 && words[0] == "kernels") {
      bench::report_kernels({words.begin() + 1, words.end()});
    } else if (words.size() >= 2 && words[0] == "growth") {
      bench::report_growth({words.begin() + 1, words.end()});
    } else {
      std::fprintf(stderr, "usage: bench-compiler kernels FILE... | growth SIZE...\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-compiler: %s\n", error.what());
    return 1;
  }
  return 0;
}
