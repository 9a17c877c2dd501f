// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchain.h"

#include <fmt/format.h>
#include <hsa/hsa.h>
#include <hsa/hsa_brig_modifiers.h>

#include <string_view>

#include "brigfile/brig_file.h"
#include "compiler.h"
#include "console.h"
#include "files.h"

namespace heddle::tools {
namespace {

/// Prints diagnostics of HSAIL text, which contain the name of their file.
void show(const char* text, size_t length, void*) { print_diagnostics({text, length}); }

/// Prints diagnostics of BRIG, which contain only offsets, with the name of the file. `path` is a
/// std::string.
void show_of_brig(const char* text, size_t length, void* path) {
  print_diagnostics(with_file(*static_cast<const std::string*>(path), {text, length}));
}

void* as_data(const std::string& path) { return const_cast<std::string*>(&path); }

const char* status_text(hsail_status status) {
  switch (status) {
    case HSAIL_OK:
      return "no error";
    case HSAIL_INVALID_ARGUMENT:
      return "invalid argument";
    case HSAIL_INVALID_PROGRAM:
      return "invalid program";
    case HSAIL_INVALID_MODULE:
      return "not a valid BRIG module";
    case HSAIL_INCOMPATIBLE_MODULE:
      return "machine model, profile, rounding mode or version does not fit the program";
    case HSAIL_MODULE_ALREADY_INCLUDED:
      return "the program has this module already";
    case HSAIL_SYMBOL_MISMATCH:
      return "declarations and definitions of one name differ";
    case HSAIL_INVALID_ISA:
      return "the finalizer knows no such ISA";
    case HSAIL_DIRECTIVE_MISMATCH:
      return "control directives contradict each other";
    case HSAIL_FINALIZATION_FAILED:
      return "finalization failed";
    case HSAIL_OUT_OF_RESOURCES:
      return "out of memory";
    case HSAIL_SYNTAX_ERROR:
      return "the text does not assemble";
  }
  return "unknown error";
}

Error failure(std::string_view subject, hsail_status status) {
  return {fmt::format("{}: {}", subject, status_text(status))};
}

Cache cache_of(const hsail_cache_info& info, const Blob& where) {
  const auto bytes = where.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (info.enabled == 0) return {false, fmt::format("none, because {}", text)};
  return {true,
          fmt::format("{}: {} {}, {} of at most {}", text, info.entries,
                      info.entries == 1 ? "entry" : "entries", format_bytes(static_cast<double>(info.bytes)),
                      format_bytes(static_cast<double>(info.limit)))};
}

uint32_t rounding_of(uint8_t brig_round) {
  if (brig_round == HSA_BRIG_ROUND_FLOAT_ZERO) return HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO;
  if (brig_round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN) return HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  return HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
}

bool cpu_executes(std::string_view isa) {
#if defined(__x86_64__)
  if (isa.find("x86-64-v4") != isa.npos) return __builtin_cpu_supports("x86-64-v4");
  if (isa.find("x86-64-v3") != isa.npos) return __builtin_cpu_supports("x86-64-v3");
  if (isa.find("x86-64-v2") != isa.npos) return __builtin_cpu_supports("x86-64-v2");
#endif
  return isa.find("hsail") != isa.npos;  // interpreted and hence executed everywhere
}

}  // namespace

FileKind kind_of(std::span<const std::byte> bytes) {
  std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 8));
  if (start == "HSA BRIG") return FileKind::brig;
  if (start.starts_with("\x7f"
                        "ELF"))
    return FileKind::code_object;
  return FileKind::text;
}

Result<Module> make_module(const std::string& path, std::vector<std::byte> bytes, SourceLines lines,
                           const std::string& brig_version) {
  Module module{path, {}, 0};
  switch (kind_of(bytes)) {
    case FileKind::brig:
      module.brig = std::move(bytes);
      return module;
    case FileKind::code_object:
      return Error{fmt::format("{}: this is a code object, not HSAIL or BRIG", path)};
    case FileKind::text:
      break;
  }
  Stopwatch watch;
  Progress progress("assembling " + path);
  Blob brig;
  std::string options = lines == SourceLines::add ? "-g" : "";
  if (!brig_version.empty()) options += " -brig=" + brig_version;
  hsail_status status = hsail_assemble_with_options(reinterpret_cast<const char*>(bytes.data()), bytes.size(),
                                                    path == "-" ? "<stdin>" : path.c_str(), options.c_str(),
                                                    brig.out(), show, nullptr);
  if (status != HSAIL_OK) return failure(path, status);
  module.brig.assign(brig.bytes().begin(), brig.bytes().end());
  module.assemble_seconds = watch.seconds();
  return module;
}

namespace {

Result<Module> compile_module(const std::string& path, const std::vector<std::string>& words) {
  Stopwatch watch;
  auto brig = compile({{path}}, words, HSAIL_MODULE_BRIG);
  if (!brig) return Error{brig.error().message};
  const auto bytes = brig->bytes();
  return Module{path, {bytes.begin(), bytes.end()}, watch.seconds()};
}

}  // namespace

Result<Module> load_module(const std::string& path, SourceLines lines,
                           const std::vector<std::string>& compiler_words) {
  if (is_source(path)) return compile_module(path, compiler_words);
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  return make_module(path, std::move(*bytes), lines);
}

Result<Blob> disassemble(const std::string& path, std::span<const std::byte> brig) {
  Blob text;
  hsail_status status = hsail_disassemble(brig.data(), brig.size(), text.out(), show_of_brig, as_data(path));
  if (status != HSAIL_OK) return failure(path, status);
  return text;
}

Result<void> check_module(const std::string& path, std::span<const std::byte> brig) {
  hsail_status status = hsail_check(brig.data(), brig.size(), show_of_brig, as_data(path));
  if (status != HSAIL_OK) return failure(path, status);
  return {};
}

std::optional<ModuleHeader> module_header(std::span<const std::byte> brig) {
  const BrigFile file(brig);
  std::optional<ModuleHeader> header;
  file.each_directive([&](uint64_t at, hsa_brig_kind16_t kind) {  // comments and annotations may come first
    if (kind != HSA_BRIG_KIND_DIRECTIVE_MODULE) return true;
    // Machine models and profiles have the same values in BRIG and in the runtime.
    if (const auto directive = file.code<hsa_brig_directive_module_t>(at))
      header = {directive->machine_model, directive->profile, rounding_of(directive->default_float_round)};
    return false;
  });
  return header;
}

Result<Program> Program::create(std::span<const Module> modules) {
  Program program;
  for (const Module& module : modules) {
    auto header = module_header(module.brig);
    if (!header) {
      auto checked = check_module(module.path, module.brig);  // reports what is wrong
      return checked ? failure(module.path, HSAIL_INVALID_MODULE) : checked.error();
    }
    if (!program.program_) {
      program.header_ = *header;
      hsail_program_t handle = nullptr;
      // Modules without a rounding mode of their own round to nearest.
      if (header->rounding == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT) {
        program.header_.rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
      }
      hsail_status status =
          hsail_program_create(header->machine_model, header->profile, program.header_.rounding, &handle);
      if (status != HSAIL_OK) return failure(module.path, status);
      program.program_.reset(handle);
    }
    hsail_status status = hsail_program_add_module(program.program_.get(), module.brig.data(),
                                                   module.brig.size(), show_of_brig, as_data(module.path));
    if (status != HSAIL_OK) return failure(module.path, status);
    // Diagnostics of finalization do not name the module, so they get the names of all modules.
    program.subject_ += (program.subject_.empty() ? "" : ", ") + module.path;
  }
  if (!program.program_) return Error{"a program needs at least one module"};
  return program;
}

namespace {

/// What show_and_note() has shown.
struct Shown {
  const std::string& subject;
  bool says_without_waves = false;
};

void show_and_note(const char* text, size_t length, void* data) {
  auto& shown = *static_cast<Shown*>(data);
  shown.says_without_waves |=
      std::string_view(text, length).find("[FINALIZER-spmd-") != std::string_view::npos;
  show_of_brig(text, length, as_data(shown.subject));
}

Result<Blob> finalize_and_show(hsail_program_s* program, hsail_code_object_kind kind, const std::string& isa,
                               const std::string& options, Shown& shown) {
  Progress progress("finalizing for " + isa);
  Blob code_object;
  hsail_status status = hsail_program_finalize(program, kind, isa.c_str(), options.c_str(), nullptr,
                                               code_object.out(), show_and_note, &shown);
  if (status != HSAIL_OK) return failure(isa, status);
  return code_object;
}

}  // namespace

Result<Blob> Program::finalize(hsail_code_object_kind kind, const std::string& isa,
                               const std::string& options) {
  Shown shown{subject_};
  return finalize_and_show(program_.get(), kind, isa, options, shown);
}

Result<Blob> Program::finalize_for_waves(hsail_code_object_kind kind, const std::string& isa,
                                         const std::string& options) {
  Shown shown{subject_};
  auto code_object = finalize_and_show(program_.get(), kind, isa, options, shown);
  if (code_object && shown.says_without_waves)
    return Error{isa + ": something could not be compiled for waves"};
  return code_object;
}

Result<Cache> describe_cache() {
  hsail_cache_info info{};
  Blob where;
  const hsail_status status = hsail_cache_describe(&info, where.out(), show, nullptr);
  if (status != HSAIL_OK) return failure("the cache of code objects", status);
  return cache_of(info, where);
}

Result<Cache> clear_cache() {
  hsail_cache_info info{}, removed{};
  Blob where;
  // The settings are the same in both calls, so that the second one need not repeat what is wrong with them.
  hsail_status status = hsail_cache_describe(&info, where.out(), nullptr, nullptr);
  if (status == HSAIL_OK) status = hsail_cache_clear(&removed, show, nullptr);
  if (status != HSAIL_OK) return Error{"the cache of code objects was not emptied"};
  return cache_of(removed, where);
}

std::vector<hsail_isa_info> finalizable_isas() {
  std::vector<hsail_isa_info> isas;
  hsail_isa_info info{};
  while (hsail_isa_at(static_cast<uint32_t>(isas.size()), &info)) isas.push_back(info);
  return isas;
}

std::string native_isa() {
  for (const hsail_isa_info& isa : finalizable_isas()) {
    if (cpu_executes(isa.name)) return isa.name;
  }
  return {};
}

}  // namespace heddle::tools
