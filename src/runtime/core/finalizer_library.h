// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The toolchain (include/hsail/hsail.h), which lives in a library of its own and is opened when somebody
// first needs it: it is large, and a client with finished code objects never does.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include <hsail/hsail.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_finalize.h>

namespace heddle::runtime {

/// The functions that the runtime uses.
struct FinalizerFunctions {
  decltype(&::hsail_api_version) api_version = nullptr;
  decltype(&::hsail_blob_free) blob_free = nullptr;
  decltype(&::hsail_program_create) program_create = nullptr;
  decltype(&::hsail_program_destroy) program_destroy = nullptr;
  decltype(&::hsail_program_add_module) program_add_module = nullptr;
  decltype(&::hsail_program_finalize) program_finalize = nullptr;
  decltype(&::hsail_isa_at) isa_at = nullptr;
};

class FinalizerLibrary {
 public:
  /// HEDDLE_FINALIZER, else libheddle-finalizer.so in the folder of the runtime library.
  FinalizerLibrary();

  /// Whether the file is there, as far as is known: does not open it, but false once that has failed.
  bool available() const { return available_; }
  /// Opens the library at the first call; null if that fails, which is reported. It is never closed.
  const FinalizerFunctions* open();

 private:
  bool load();

  std::string path_;
  std::atomic<bool> available_ = false;
  std::once_flag once_;
  bool loaded_ = false;
  FinalizerFunctions functions_;
};

/// The runtime's code for a result of the toolchain.
hsa_status_t to_hsa_status(hsail_status status);

/// Reports what the toolchain has to say; a hsail_diagnostic_callback.
void report_finalizer_text(const char* text, size_t length, void* data);

}  // namespace heddle::runtime
