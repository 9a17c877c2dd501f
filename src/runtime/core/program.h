// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HSAIL programs of the finalizer extension (Runtime 3.2.1.9 to 3.2.1.21).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_finalize.h>

#include "runtime/core/finalizer_library.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// Owns the bytes of a finalized code object, which the toolchain allocated and frees.
class FinalizedCode {
 public:
  explicit FinalizedCode(const FinalizerFunctions& functions) : functions_(functions) {}
  ~FinalizedCode() { functions_.blob_free(&blob_); }
  FinalizedCode(const FinalizedCode&) = delete;
  FinalizedCode& operator=(const FinalizedCode&) = delete;

  hsail_blob* blob() { return &blob_; }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(blob_.data), blob_.size}; }

 private:
  const FinalizerFunctions& functions_;
  hsail_blob blob_{};
};

/// Thread safe; concurrent calls on a program are serialized.
class Program {
 public:
  /// Returns null if the toolchain fails.
  static std::shared_ptr<Program> create(const FinalizerFunctions& functions, hsa_machine_model_t model,
                                         hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  hsa_machine_model_t machine_model() const { return model_; }
  hsa_profile_t profile() const { return profile_; }
  hsa_default_float_rounding_mode_t rounding() const { return rounding_; }
  const FinalizerFunctions& functions() const { return functions_; }

  /// Adds a module. MODULE_ALREADY_INCLUDED if the address was added before, or another error of the
  /// toolchain. Without `size`, the number of bytes is what the module's header says.
  hsa_status_t add_module(hsa_ext_module_t module, size_t size = SIZE_MAX);
  /// Returns the addresses of the modules in the order of addition.
  std::vector<hsa_ext_module_t> modules() const;

  /// Finalizes the program. `isa` is null for HSAIL_CODE_OBJECT_PROGRAM; `directives` may be null.
  hsa_status_t finalize(hsail_code_object_kind kind, const Isa* isa, const char* options,
                        const hsail_control_directives* directives, FinalizedCode& code);

 private:
  Program(const FinalizerFunctions& functions, hsa_machine_model_t model, hsa_profile_t profile,
          hsa_default_float_rounding_mode_t rounding);

  const FinalizerFunctions& functions_;
  hsail_program_s* program_ = nullptr;  ///< set by create(); null only if that failed
  const hsa_machine_model_t model_;
  const hsa_profile_t profile_;
  const hsa_default_float_rounding_mode_t rounding_;
  mutable std::mutex mutex_;
  std::vector<hsa_ext_module_t> modules_;
};

/// Converts the directives of hsa_ext_program_finalize to the toolchain's form.
hsail_control_directives to_hsail(const hsa_ext_control_directives_t& directives);

}  // namespace heddle::runtime
