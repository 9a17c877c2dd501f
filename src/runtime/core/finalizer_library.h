// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The toolchain (include/hsail/hsail.h). It is large and lives in a library of its own, which is opened on
// first use, so that clients with finished code objects never load it.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include <hsail/hsail.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_finalize.h>

namespace heddle::runtime {

/// The toolchain functions that the runtime uses.
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
  /// Takes the path from HEDDLE_FINALIZER, or else uses libheddle-finalizer.so.2 in the folder of the runtime
  /// library.
  FinalizerLibrary();

  /// Reports whether the file is readable, without opening it; false once opening it has failed.
  bool available() const { return available_; }
  /// Opens the library at the first call and never closes it. Returns null if that fails; the failure is
  /// reported.
  const FinalizerFunctions* open();

 private:
  bool load();

  std::string path_;
  std::atomic<bool> available_ = false;
  std::once_flag once_;
  bool loaded_ = false;
  FinalizerFunctions functions_;
};

/// Returns the runtime's status for a result of the toolchain.
hsa_status_t to_hsa_status(hsail_status status);

/// Collects the messages of the toolchain during one call. Whether they are errors or warnings is known only
/// from the result of the call, which comes after them.
class FinalizerText {
 public:
  /// A hsail_diagnostic_callback, whose `data` is the FinalizerText.
  static void keep(const char* text, size_t length, void* data);
  /// Reports the messages as an error, or as a warning if the call succeeded. Reports nothing if memory runs
  /// out.
  void report(hsail_status status);

 private:
  std::string text_;
};

}  // namespace heddle::runtime
