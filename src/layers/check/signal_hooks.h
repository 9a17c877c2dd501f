// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked in calls of functions on signals.
#pragma once

#include "layers/check/hooks.h"

namespace heddle::check {

using Condition = hsa_signal_condition_t;
using Value = hsa_signal_value_t;

struct CreateSignal {
  static void after(Checker&, Call&, hsa_status_t status, Value, uint32_t count, const hsa_agent_t* consumers,
                    hsa_signal_t* signal);
};
struct CreateAmdSignal {
  static void after(Checker&, Call&, hsa_status_t status, Value, uint32_t count, const hsa_agent_t* consumers,
                    uint64_t, hsa_signal_t* signal);
};
struct DestroySignal {
  static void before(Checker&, Call&, hsa_signal_t signal);
  static void after(Checker&, Call&, hsa_status_t status, hsa_signal_t signal);
};
/// Operations that replace the value: these ring doorbells.
struct StoreSignal {
  static void before(Checker&, Call&, hsa_signal_t signal, Value value);
};
struct AddSignal {
  static void before(Checker&, Call&, hsa_signal_t signal, Value value);
};
/// Other operations that change the value.
struct ChangeSignal {
  static void before(Checker&, Call&, hsa_signal_t signal, Value value);
};
struct SwapSignal {
  static void before(Checker&, Call&, hsa_signal_t signal, Value expected, Value value);
};
struct WaitSignal {
  static void before(Checker&, Call&, hsa_signal_t signal, Condition, Value, uint64_t, hsa_wait_state_t);
  static void after(Checker&, Call&, Value result, hsa_signal_t signal, Condition condition, Value compared,
                    uint64_t, hsa_wait_state_t);
};
struct WaitAny {
  static void before(Checker&, Call&, uint32_t count, hsa_signal_t* signals, Condition*, Value*, uint64_t,
                     hsa_wait_state_t, Value*);
  static void after(Checker&, Call&, uint32_t result, uint32_t count, hsa_signal_t* signals, Condition*,
                    Value*, uint64_t, hsa_wait_state_t, Value*);
};
struct CreateGroup {
  static void before(Checker&, Call&, uint32_t count, const hsa_signal_t* signals, uint32_t,
                     const hsa_agent_t*, hsa_signal_group_t*);
};
struct WaitGroup {
  static void after(Checker&, Call&, hsa_status_t status, hsa_signal_group_t, const Condition*, const Value*,
                    hsa_wait_state_t, hsa_signal_t* signal, Value*);
};
struct HandleSignal {
  static void before(Checker&, Call&, hsa_signal_t signal, Condition, Value, hsa_amd_signal_handler, void*);
};
struct ExposeSignal {
  static void after(Checker&, Call&, hsa_status_t status, hsa_signal_t signal, volatile Value**);
};

HEDDLE_CHECK_HOOK(hsa_signal_create, CreateSignal)
HEDDLE_CHECK_HOOK(hsa_amd_signal_create, CreateAmdSignal)
HEDDLE_CHECK_HOOK(hsa_signal_destroy, DestroySignal)
HEDDLE_CHECK_HOOK_STORE(hsa_signal_store, StoreSignal)
HEDDLE_CHECK_HOOK(hsa_signal_silent_store_relaxed, StoreSignal)
HEDDLE_CHECK_HOOK(hsa_signal_silent_store_screlease, StoreSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_exchange, StoreSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_cas, SwapSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_add, AddSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_subtract, ChangeSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_and, ChangeSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_or, ChangeSignal)
HEDDLE_CHECK_HOOK_UPDATE(hsa_signal_xor, ChangeSignal)
HEDDLE_CHECK_HOOK_LOAD(hsa_signal_wait, WaitSignal)
HEDDLE_CHECK_HOOK(hsa_amd_signal_wait_any, WaitAny)
HEDDLE_CHECK_HOOK(hsa_signal_group_create, CreateGroup)
HEDDLE_CHECK_HOOK(hsa_signal_group_wait_any_scacquire, WaitGroup)
HEDDLE_CHECK_HOOK(hsa_signal_group_wait_any_relaxed, WaitGroup)
HEDDLE_CHECK_HOOK(hsa_amd_signal_async_handler, HandleSignal)
HEDDLE_CHECK_HOOK(hsa_amd_signal_value_pointer, ExposeSignal)

}  // namespace heddle::check
