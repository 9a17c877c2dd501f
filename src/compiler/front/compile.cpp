// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/compile.h"

#include <hsail/hsail.hpp>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compiler/front/amdgcn_functions.h"
#include "compiler/front/kernel_bodies.h"
#include "compiler/front/libraries.h"
#include "compiler/front/math_intrinsics.h"
#include "compiler/front/printf.h"
#include "compiler/front/read.h"
#include "compiler/front/symbol_names.h"
#include "compiler/passes/optimise.h"
#include "compiler/translate.h"
#include "devlib/opencl/printf_formats.h"

namespace heddle::compiler {
namespace {

/// Passes on what LLVM reports about modules, mostly its linker.
struct LlvmMessages : llvm::DiagnosticHandler {
  explicit LlvmMessages(const Messages& to) : messages(to) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Remark || info.getSeverity() == llvm::DS_Note) return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    messages.report(info.getSeverity() == llvm::DS_Error ? Severity::error : Severity::warning, text);
    return true;
  }
  const Messages& messages;
};

/// Writes the intermediate forms that -save-temps asks for.
class Forms {
 public:
  Forms(std::string stem, const Messages& messages) : stem_(std::move(stem)), messages_(messages) {}

  /// `write` puts the form into a stream. Nothing happens if no forms are to be kept.
  template <typename Write>
  Outcome<void> keep(const char* end, Write write) const {
    if (stem_.empty()) return {};
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    write(stream);
    stream.flush();
    std::ofstream file(stem_ + end, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file) return {};
    messages_.error("the file cannot be written: " + std::string(std::strerror(errno)), {stem_ + end});
    return Failure::out_of_resources;
  }

 private:
  std::string stem_;
  const Messages& messages_;
};

constexpr const char* bitcode_ending = ".bc";
constexpr const char* optimised_ending = ".opt.ll";
constexpr const char* text_ending = ".hsail";
constexpr const char* brig_ending = ".brig";

/// Reports an intermediate form that would replace a source: the bitcode of `module.bc`, for example.
bool forms_spare_sources(const std::vector<Source>& sources, const std::string& stem,
                         const Messages& messages) {
  if (stem.empty()) return true;
  for (const char* ending : {bitcode_ending, optimised_ending, text_ending, brig_ending}) {
    const std::string form = stem + ending;
    for (const Source& source : sources) {
      std::error_code absent;
      if (source.text || !std::filesystem::equivalent(source.name, form, absent)) continue;
      messages.error("-save-temps would write " + form + ", which is a source", {source.name});
      return false;
    }
  }
  return true;
}

/// Names the module after the first source, with the end of its name: a kernel may be called as the file
/// without it.
std::string module_name(const Source& source) {
  const std::string name = std::filesystem::path(source.name).filename().string();
  return name.empty() ? "compiled" : name;
}

TranslateOptions translate_options(const std::vector<Source>& sources, const Options& options) {
  TranslateOptions result;
  result.module_name = module_name(sources.front());
  result.level = Level::none;  // the module is optimised already
  result.source_lines = options.source_lines;
  result.source_variables = options.source_variables;
  result.lockstep =
      std::ranges::any_of(sources, [](const Source& source) { return source.language == Language::hip; });
  return result;
}

Outcome<std::string> translated(llvm::Module& module, const std::vector<Source>& sources,
                                const Options& options, const Messages& messages) {
  Diagnostics diagnostics(sources.front().name);
  auto text = translate(module, translate_options(sources, options), diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const Location& at = diagnostic.location;
    // A diagnostic has lines only. If there is one source, they are most likely its own; the text names the
    // file, too.
    const Place place = sources.size() == 1 ? Place{sources.front().name, at.line, at.column} : Place{};
    messages.report(diagnostic.severity, diagnostic.message + " [" + diagnostic.id + "]", place);
  }
  if (text) return std::move(*text);
  if (!diagnostics.has_errors()) messages.error(text.error().message);
  return Failure::failed;
}

/// Links everything that the module needs and makes it ready for optimisation.
Outcome<void> complete(llvm::Module& module, const Messages& messages) {
  report_symbol_names(module, messages);
  return_printf_lengths(module);
  expand_printf(module);
  replace_math_intrinsics(module);
  replace_amdgcn_intrinsics(module);
  auto linked = link_libraries(module, messages);
  if (!linked) return linked;
  join_kernel_bodies(module);
  const auto kept = devlib::keep_printf_formats(module);
  if (kept) return {};
  messages.error(kept.error().message);
  return Failure::failed;
}

/// Makes BRIG of what the compiler wrote. If the assembler finds a mistake, the compiler has one.
Outcome<std::string> assembled(const std::string& text, const std::string& name, const Messages& messages) {
  const auto brig = hsail::assemble(text, name);
  if (brig) {
    const auto bytes = brig->bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (brig.status() == hsail::Status::out_of_resources) return Failure::out_of_resources;
  messages.error(
      "the compiler made HSAIL that is wrong, which is a defect of heddle unless it comes from a function "
      "__hsail_MNEMONIC that the source calls (-save-temps keeps the text)");
  Message said{Severity::note, {}, 0, 0, "the assembler says this about it", brig.diagnostics()};
  messages.pass(said);
  return Failure::failed;
}

}  // namespace

Outcome<std::string> compile_to_bitcode(const std::vector<Source>& sources, const Options& options,
                                        const Messages& messages) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<LlvmMessages>(messages));
  auto module = read_sources(sources, options, context, messages);
  if (!module) return module.error();
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(**module, stream);
  return bytes;
}

Outcome<Compiled> compile(const std::vector<Source>& sources, const Options& options,
                          const Messages& messages) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<LlvmMessages>(messages));
  if (!forms_spare_sources(sources, options.save_temps, messages)) return Failure::invalid_argument;
  const Forms forms(options.save_temps, messages);
  auto module = read_sources(sources, options, context, messages);
  if (!module) return module.error();
  const auto step = complete(**module, messages);
  const auto write_bitcode = [&](llvm::raw_ostream& to) { llvm::WriteBitcodeToFile(**module, to); };
  auto kept = forms.keep(bitcode_ending, write_bitcode);
  if (!step || !kept) return step ? kept.error() : step.error();
  optimise(**module, options.level);
  kept = forms.keep(optimised_ending, [&](llvm::raw_ostream& to) { (*module)->print(to, nullptr); });
  if (!kept) return kept.error();
  auto text = translated(**module, sources, options, messages);
  if (!text) return text.error();
  kept = forms.keep(text_ending, [&](llvm::raw_ostream& to) { to << *text; });
  if (!kept) return kept.error();
  const std::string text_name =
      (options.save_temps.empty() ? module_name(sources.front()) : options.save_temps) + text_ending;
  auto brig = assembled(*text, text_name, messages);
  if (!brig) return brig.error();
  kept = forms.keep(brig_ending, [&](llvm::raw_ostream& to) { to << *brig; });
  if (!kept) return kept.error();
  return Compiled{std::move(*text), std::move(*brig)};
}

}  // namespace heddle::compiler
