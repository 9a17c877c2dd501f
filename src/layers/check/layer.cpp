// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the runtime calls when it starts and ends the layer (hsa/hsa_api_trace.h).
#include <hsa/hsa_ven_heddle_trace.h>

#include "layers/check/code_hooks.h"
#include "layers/check/life_hooks.h"
#include "layers/check/memory_hooks.h"
#include "layers/check/queue_hooks.h"
#include "layers/check/signal_hooks.h"
#include "support/fork_handler.h"

namespace heddle::check {
namespace {

/// Puts the layer in front of the function NAME of `table`.
#define HEDDLE_CHECK_INSTALL(name) \
  api::name = table.name##_fn;     \
  table.name##_fn = &Wrapper<function::name>::call;

void install(CoreApiTable& table) { HSA_CORE_API_FUNCTIONS(HEDDLE_CHECK_INSTALL) }
void install(AmdExtTable& table) { HSA_AMD_EXT_API_FUNCTIONS(HEDDLE_CHECK_INSTALL) }
void install(FinalizerExtTable& table) { HSA_FINALIZER_EXT_API_FUNCTIONS(HEDDLE_CHECK_INSTALL) }
void install(ImageExtTable& table) { HSA_IMAGE_EXT_API_FUNCTIONS(HEDDLE_CHECK_INSTALL) }
void install(PcSamplingExtTable& table) { HSA_PC_SAMPLING_EXT_API_FUNCTIONS(HEDDLE_CHECK_INSTALL) }
void install(HeddleApiTable& table) { HEDDLE_API_FUNCTIONS(HEDDLE_CHECK_INSTALL) }
#undef HEDDLE_CHECK_INSTALL

/// Says whether a table has all entries that this library knows.
template <typename Table>
bool is_complete(const Table* table) {
  return table != nullptr && table->version.minor_id >= sizeof(Table);
}

/// Between HeddleOnLoad and OnLoad: the table that only heddle has.
HeddleApiTable* heddle_table = nullptr;

/// The child of a fork starts without objects: those of the parent are not its own. Nor does it look at what
/// other threads of the parent may have been changing.
void forget_parent(void* object) noexcept {
  auto& checker = *static_cast<Checker*>(object);
  const uint64_t cycle = checker.cycle;
  CallUnderWay::forget_other_threads();
  abandon(checker);
  checker.cycle = cycle;
}

void prepare_process() {
  Site::prepare();
  static const ForkHandler* const handler = new ForkHandler(&forget_parent, &Checker::instance());
  (void)handler;
}

bool load(HsaApiTable* table) {
  if (!is_complete(heddle_table) || !is_complete(table->core_) || !is_complete(table->amd_ext_) ||
      !is_complete(table->finalizer_ext_) || !is_complete(table->image_ext_) ||
      !is_complete(table->pc_sampling_ext_)) {
    write_line("heddle: check: error: the check layer is not of the version of the runtime\n");
    return false;
  }
  prepare_process();
  Checker& checker = Checker::instance();
  checker.reporter.configure();
  install(*heddle_table);
  install(*table->core_);
  install(*table->amd_ext_);
  install(*table->finalizer_ext_);
  install(*table->image_ext_);
  install(*table->pc_sampling_ext_);
  const std::lock_guard lock(checker.mutex);
  checker.references = 1;  // the hsa_init that loads the layer
  checker.loaded = true;
  ++checker.cycle;
  return true;
}

void unload() {
  Call call("hsa_shut_down");
  guarded(call, [&](Checker& checker) { find_leaks(checker, call); });
  guarded(call, [&](Checker& checker) {
    checker.end_all(call.event());
    checker.reporter.summarise();
  });
}

}  // namespace
}  // namespace heddle::check

extern "C" {

HSA_API void HeddleOnLoad(HeddleApiTable* table) { heddle::check::heddle_table = table; }

HSA_API bool OnLoad(HsaApiTable* table, uint64_t, uint64_t, const char* const*) {
  return heddle::check::load(table);
}

HSA_API void OnUnload() { heddle::check::unload(); }

}  // extern "C"
