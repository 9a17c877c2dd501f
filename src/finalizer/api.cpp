// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements the C API (hsail/hsail.h): checks arguments, lets no exception escape and turns diagnostics into
// text.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>

#include <hsail/hsail.h>

#include "finalizer/cache/administration.h"
#include "finalizer/cache/cached_finalize.h"
#include "finalizer/control_directives.h"
#include "finalizer/finalize.h"
#include "finalizer/guard.h"
#include "hsail/assemble/assemble.h"
#include "hsail/isa/control_directive.h"
#include "hsail/print/print.h"

using heddle::Diagnostics;
using heddle::finalizer::guarded;
using heddle::finalizer::report;

struct hsail_program_s {
  explicit hsail_program_s(heddle::link::Program::Options options) : program(options) {}
  heddle::link::Program program;
};

namespace {

hsail_status give(const void* bytes, size_t size, hsail_blob* blob) {
  void* copy = std::malloc(size ? size : 1);
  if (!copy) return HSAIL_OUT_OF_RESOURCES;
  std::memcpy(copy, bytes, size);
  *blob = {copy, size};
  return HSAIL_OK;
}

/// Returns the bytes of a module. If `size` is SIZE_MAX, the size is taken from the module's header.
std::span<const std::byte> module_bytes(const void* brig, size_t size) {
  if (size == SIZE_MAX) {
    hsa_brig_module_header_t header;
    std::memcpy(&header, brig, sizeof header);
    size = header.byte_count;
  }
  return {static_cast<const std::byte*>(brig), size};
}

hsail_status status_of(heddle::link::Program::AddResult result) {
  using enum heddle::link::Program::AddResult;
  switch (result) {
    case ok:
      return HSAIL_OK;
    case invalid_module:
      return HSAIL_INVALID_MODULE;
    case incompatible_module:
      return HSAIL_INCOMPATIBLE_MODULE;
    case already_included:
      return HSAIL_MODULE_ALREADY_INCLUDED;
    case symbol_mismatch:
      return HSAIL_SYMBOL_MISMATCH;
  }
  return HSAIL_INVALID_MODULE;
}

/// Reports whether the fields of all directives that the mask does not enable are 0 (Runtime 3.2.1.20).
bool unused_fields_are_zero(const hsail_control_directives& d) {
  for (unsigned control = 1; heddle::isa::control_directive(control) != nullptr; ++control) {
    if ((d.mask >> control & 1) != 0) continue;
    const auto values = heddle::finalizer::values_of(d, control);
    if (values && std::ranges::any_of(*values, [](uint64_t value) { return value != 0; })) return false;
  }
  return true;
}

/// Converts an hsa_default_float_rounding_mode_t to a BRIG rounding mode. Returns false if `mode` is unknown.
bool default_rounding(uint32_t mode, hsa_brig_round_t& rounding) {
  constexpr hsa_brig_round_t modes[] = {HSA_BRIG_ROUND_FLOAT_DEFAULT, HSA_BRIG_ROUND_FLOAT_ZERO,
                                        HSA_BRIG_ROUND_FLOAT_NEAR_EVEN};
  if (mode >= std::size(modes)) return false;
  rounding = modes[mode];
  return true;
}

/// Reads the options of hsail_assemble_with_options. Returns nullopt for a version of BRIG that does not
/// exist.
std::optional<heddle::assemble::AssembleOptions> assemble_options(const char* options) {
  constexpr std::string_view version_option = "-brig=";
  constexpr std::string_view versions[] = {"1.0", "1.1", "1.2"};
  heddle::assemble::AssembleOptions chosen;
  std::istringstream words{std::string(options)};
  words.exceptions(std::ios::badbit);  // without memory, throw instead of losing an option
  for (std::string word; words >> word;) {
    if (word == "-g") chosen.add_locations = true;
    if (!word.starts_with(version_option)) continue;
    const auto* const found =
        std::ranges::find(versions, std::string_view(word).substr(version_option.size()));
    if (found == std::end(versions)) return std::nullopt;
    chosen.brig_minor = static_cast<unsigned>(found - versions);
  }
  return chosen;
}

}  // namespace

extern "C" {

uint32_t hsail_api_version(void) { return HSAIL_API_VERSION; }

void hsail_blob_free(hsail_blob* blob) {
  if (!blob) return;
  std::free(blob->data);
  *blob = {nullptr, 0};
}

hsail_status hsail_assemble(const char* text, size_t length, const char* file_name, hsail_blob* brig,
                            hsail_diagnostic_callback callback, void* data) {
  return hsail_assemble_with_options(text, length, file_name, nullptr, brig, callback, data);
}

hsail_status hsail_assemble_with_options(const char* text, size_t length, const char* file_name,
                                         const char* options, hsail_blob* brig,
                                         hsail_diagnostic_callback callback, void* data) {
  if (!text || !brig) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    const std::string_view source(text, length);
    const std::string file = file_name ? file_name : "";
    const auto read = assemble_options(options ? options : "");
    if (!read) return HSAIL_INVALID_ARGUMENT;
    Diagnostics diagnostics(file, source);
    std::vector<std::byte> bytes;
    const bool good = heddle::assemble::assemble(source, file, bytes, diagnostics, *read);
    report(diagnostics, callback, data);
    return good ? give(bytes.data(), bytes.size(), brig) : HSAIL_SYNTAX_ERROR;
  });
}

hsail_status hsail_disassemble(const void* brig, size_t size, hsail_blob* text,
                               hsail_diagnostic_callback callback, void* data) {
  if (!brig || !text) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    Diagnostics diagnostics;
    const auto module = heddle::brig::Module::open(module_bytes(brig, size), diagnostics);
    report(diagnostics, callback, data);
    if (!module) return HSAIL_INVALID_MODULE;
    const std::string printed = heddle::print::disassemble(module);
    return give(printed.data(), printed.size(), text);
  });
}

hsail_status hsail_check(const void* brig, size_t size, hsail_diagnostic_callback callback, void* data) {
  if (!brig) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    Diagnostics diagnostics;
    const auto module = heddle::brig::Module::open(module_bytes(brig, size), diagnostics);
    report(diagnostics, callback, data);
    return module ? HSAIL_OK : HSAIL_INVALID_MODULE;
  });
}

hsail_status hsail_program_create(uint32_t machine_model, uint32_t profile,
                                  uint32_t default_float_rounding_mode, hsail_program_t* program) {
  heddle::link::Program::Options options;
  if (!program || machine_model > HSA_BRIG_MACHINE_MODEL_LARGE || profile > HSA_BRIG_PROFILE_FULL ||
      !default_rounding(default_float_rounding_mode, options.default_rounding))
    return HSAIL_INVALID_ARGUMENT;
  options.machine_model = static_cast<hsa_brig_machine_model_t>(machine_model);
  options.profile = static_cast<hsa_brig_profile_t>(profile);
  options.strict_rounding = heddle::finalizer::environment_says_yes("HEDDLE_STRICT_ROUNDING");
  return guarded(nullptr, nullptr, [&] {
    *program = new hsail_program_s(options);
    return HSAIL_OK;
  });
}

hsail_status hsail_program_destroy(hsail_program_t program) {
  if (!program) return HSAIL_INVALID_PROGRAM;
  delete program;
  return HSAIL_OK;
}

hsail_status hsail_program_add_module(hsail_program_t program, const void* brig, size_t size,
                                      hsail_diagnostic_callback callback, void* data) {
  if (!program) return HSAIL_INVALID_PROGRAM;
  if (!brig) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    Diagnostics diagnostics;
    auto module = heddle::brig::Module::open(module_bytes(brig, size), diagnostics);
    hsail_status status = HSAIL_INVALID_MODULE;
    if (module) status = status_of(program->program.add(std::move(module), diagnostics));
    report(diagnostics, callback, data);
    return status;
  });
}

hsail_status hsail_program_finalize(hsail_program_t program, hsail_code_object_kind kind, const char* isa,
                                    const char* options, const hsail_control_directives* directives,
                                    hsail_blob* code_object, hsail_diagnostic_callback callback, void* data) {
  namespace finalizer = heddle::finalizer;
  if (!program) return HSAIL_INVALID_PROGRAM;
  if (!code_object || kind < HSAIL_CODE_OBJECT_PROGRAM || kind > HSAIL_CODE_OBJECT_BOTH)
    return HSAIL_INVALID_ARGUMENT;
  if (directives && !unused_fields_are_zero(*directives)) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    const finalizer::Isa* target = nullptr;
    if (kind != HSAIL_CODE_OBJECT_PROGRAM) {
      target = isa ? finalizer::find_isa(isa) : nullptr;
      if (!target) return HSAIL_INVALID_ISA;
    }
    Diagnostics diagnostics;
    std::vector<std::byte> bytes;
    const auto result =
        finalizer::cached_finalize(program->program, kind, target, finalizer::parse_options(options),
                                   directives, secure_getenv, bytes, diagnostics);
    report(diagnostics, callback, data);
    if (result == finalizer::FinalizeResult::directive_mismatch) return HSAIL_DIRECTIVE_MISMATCH;
    if (result == finalizer::FinalizeResult::failed) return HSAIL_FINALIZATION_FAILED;
    return give(bytes.data(), bytes.size(), code_object);
  });
}

int hsail_isa_at(uint32_t index, hsail_isa_info* info) {
  const auto isas = heddle::finalizer::isas();
  if (!info || index >= isas.size()) return 0;
  *info = {isas[index]->name, isas[index]->wavefront_size};
  return 1;
}

hsail_status hsail_cache_describe(hsail_cache_info* info, hsail_blob* where,
                                  hsail_diagnostic_callback callback, void* data) {
  if (!info || !where) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    Diagnostics diagnostics;
    const auto cache = heddle::finalizer::describe_cache(secure_getenv, diagnostics);
    report(diagnostics, callback, data);
    const hsail_status status = give(cache.where.data(), cache.where.size(), where);
    if (status == HSAIL_OK) *info = {cache.enabled, cache.usage.entries, cache.usage.bytes, cache.limit};
    return status;
  });
}

hsail_status hsail_cache_clear(hsail_cache_info* removed, hsail_diagnostic_callback callback, void* data) {
  if (!removed) return HSAIL_INVALID_ARGUMENT;
  return guarded(callback, data, [&] {
    Diagnostics diagnostics;
    const auto before = heddle::finalizer::clear_cache(secure_getenv, diagnostics);
    report(diagnostics, callback, data);
    if (!before) return HSAIL_OUT_OF_RESOURCES;
    *removed = {before->enabled, before->usage.entries, before->usage.bytes, before->limit};
    return HSAIL_OK;
  });
}

}  // extern "C"
