// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owning classes for the HSAIL toolchain (hsail/hsail.h). Diagnostics are printed to standard error
// immediately; a returned Error only says which operation failed.
#pragma once

#include <hsail/hsail.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools {

/// Owns bytes that the toolchain allocated.
class Blob {
 public:
  Blob() = default;
  ~Blob() { hsail_blob_free(&blob_); }
  Blob(Blob&& other) noexcept : blob_(other.blob_) { other.blob_ = {}; }
  Blob& operator=(Blob&& other) noexcept {
    std::swap(blob_, other.blob_);
    return *this;
  }
  hsail_blob* out() { return &blob_; }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(blob_.data), blob_.size}; }

 private:
  hsail_blob blob_{};
};

enum class FileKind { text, brig, code_object };
FileKind kind_of(std::span<const std::byte> bytes);

/// One HSAIL module, loaded from text or BRIG, or compiled from a source.
struct Module {
  std::string path;
  std::vector<std::byte> brig;
  double assemble_seconds = 0;  ///< to compile it, for a source
};
/// Whether the assembler adds loc directives with the file and lines of the text.
enum class SourceLines : uint8_t { leave, add };
/// Reads a module; a source is compiled with the words (compiler.h).
Result<Module> load_module(const std::string& path, SourceLines lines = SourceLines::leave,
                           const std::vector<std::string>& compiler_words = {});
/// Assembles `bytes` if they are text, or adopts them if they are BRIG. `brig_version`, such as "1.0", is the
/// version of BRIG to write; empty means that of the module directive.
Result<Module> make_module(const std::string& path, std::vector<std::byte> bytes,
                           SourceLines lines = SourceLines::leave, const std::string& brig_version = {});

Result<Blob> disassemble(const std::string& path, std::span<const std::byte> brig);
/// Checks the structure of a module (PRM 18).
Result<void> check_module(const std::string& path, std::span<const std::byte> brig);

/// The properties that a module declares (PRM 14.1), as values of hsa_machine_model_t, hsa_profile_t and
/// hsa_default_float_rounding_mode_t. module_header() returns nullopt if the BRIG has no module directive.
struct ModuleHeader {
  uint32_t machine_model, profile, rounding;
};
std::optional<ModuleHeader> module_header(std::span<const std::byte> brig);

/// A program of modules that all have the machine model and profile of the first.
class Program {
 public:
  static Result<Program> create(std::span<const Module> modules);
  Program(Program&&) = default;
  Program& operator=(Program&&) = default;

  Result<Blob> finalize(hsail_code_object_kind kind, const std::string& isa, const std::string& options);
  /// The same, but an error if a kernel, or one of its bodies, could not be compiled for waves.
  Result<Blob> finalize_for_waves(hsail_code_object_kind kind, const std::string& isa,
                                  const std::string& options);
  const ModuleHeader& header() const { return header_; }

 private:
  struct Destroy {
    void operator()(hsail_program_s* program) const { hsail_program_destroy(program); }
  };
  Program() = default;
  std::unique_ptr<hsail_program_s, Destroy> program_;
  ModuleHeader header_{};
  std::string subject_;  ///< the modules, as named in diagnostics of finalization
};

/// The cache of code objects (docs/environment.md, HEDDLE_CACHE).
struct Cache {
  bool enabled;
  std::string text;  ///< "FOLDER: 3 code objects, 12 KiB of at most 256 MiB", or "none, because ..."
};
Result<Cache> describe_cache();
/// Empties the cache, and describes it as it was before.
Result<Cache> clear_cache();

std::vector<hsail_isa_info> finalizable_isas();
/// Returns the first ISA of finalizable_isas() that this machine executes, which is the best; "" if there is
/// none.
std::string native_isa();

}  // namespace heddle::tools
