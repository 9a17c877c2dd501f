// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables through which programs call the runtime, and which tools change (hsa/hsa_api_trace.h).
#pragma once

#include <hsa/hsa_ven_heddle_trace.h>

namespace heddle::runtime {

/// The tables with all functions. `root` points to tables of `live_tables`, also in copies.
struct ApiTables {
  HsaApiTable root;
  CoreApiTable core;
  AmdExtTable amd;
  FinalizerExtTable finalizer;
  ImageExtTable images;
  ToolsApiTable tools;
  PcSamplingExtTable pc_sampling;
  HeddleApiTable heddle;
};

/// The tables that calls go through. Threads may call while another one writes entries.
extern ApiTables live_tables;

/// Returns a copy of the live tables.
ApiTables copy_of_live_tables() noexcept;
/// Writes the contents of a copy to the live tables.
void assign_live_tables(const ApiTables& contents) noexcept;
/// Makes each entry the function of the runtime again.
void reset_live_tables() noexcept;

/// Reads an entry of the live tables.
template <typename Function>
[[gnu::always_inline]] inline Function* entry(Function* const& slot) noexcept {
  return __atomic_load_n(&slot, __ATOMIC_RELAXED);
}

}  // namespace heddle::runtime
