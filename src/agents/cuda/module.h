// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/cuda/gpu_context.h"

namespace heddle::cuda {

/// PTX, and whether the driver's compiler shall optimise it.
struct PtxCode {
  std::string text;
  bool optimises = true;
};

/// The driver's module for PTX, compiled now or taken as machine code from the cache (cubin_cache.h).
class LoadedModule {
 public:
  /// `register_limit` is the most registers that a thread may use; 0: as many as the compiler wants. The
  /// error has what the compiler has written into its log. `context` outlives the module.
  static Driven<std::shared_ptr<LoadedModule>> load(GpuContext& context, const PtxCode& ptx,
                                                    unsigned register_limit);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  /// Fills the table of addresses, which has so many words. No code of the module may run before.
  Driven<void> fill_addresses(const std::vector<uint64_t>& addresses) const;
  /// Finds an entry.
  Driven<Function> function(const std::string& name) const;
  /// Reads the words of the table of indirect functions.
  Driven<std::vector<uint64_t>> function_table(size_t count) const;
  /// Warnings of the compiler, and about the cache; empty if there are none.
  const std::string& log() const { return log_; }

 private:
  LoadedModule(GpuContext& context, Module module, std::string log)
      : context_(context), module_(module), log_(std::move(log)) {}
  Driven<DeviceAddress> table(const char* symbol, size_t words) const;

  GpuContext& context_;
  Module module_;
  const std::string log_;
};

}  // namespace heddle::cuda
