// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked when the runtime starts and ends, and of objects that the types of arguments do not tell.
#pragma once

#include "layers/check/hooks.h"

namespace heddle::check {

struct Initialise {
  static void after(Checker&, Call&, hsa_status_t status);
};
struct ShutDown {
  static void before(Checker&, Call&);
  static void after(Checker&, Call&, hsa_status_t status);
};
/// The end of an extension ends its objects.
template <Kind kind>
struct EndExtension {
  static void after(Checker& checker, Call& call, hsa_status_t status) {
    if (status == HSA_STATUS_SUCCESS) checker.objects.end_all(kind, call.event());
  }
};
struct RegisterProducer {
  static void after(Checker&, Call&, hsa_status_t status, const char*, const char*, uint64_t* producer);
};
struct DeregisterProducer {
  static void before(Checker&, Call&, uint64_t producer);
  static void after(Checker&, Call&, hsa_status_t status, uint64_t producer);
};
/// Functions that have a producer of the application first.
struct UseProducer {
  static void check(const Checker&, Call&, uint64_t producer);
  template <typename... Others>
  static void before(Checker& checker, Call& call, uint64_t producer, Others...) {
    check(checker, call, producer);
  }
};
struct CounterSessions {
  static void before(Checker&, Call&, hsa_ext_perf_counter_session_ctx_t* sessions, size_t count, bool*);
};

HEDDLE_CHECK_HOOK(hsa_init, Initialise)
HEDDLE_CHECK_HOOK(hsa_shut_down, ShutDown)
HEDDLE_CHECK_HOOK(hsa_ext_perf_counter_shut_down, EndExtension<Kind::counter_session>)
HEDDLE_CHECK_HOOK(hsa_ext_profile_event_shut_down, EndExtension<Kind::event_producer>)
HEDDLE_CHECK_HOOK(hsa_ext_profile_event_register_application_event_producer, RegisterProducer)
HEDDLE_CHECK_HOOK(hsa_ext_profile_event_deregister_application_event_producer, DeregisterProducer)
HEDDLE_CHECK_HOOK(hsa_ext_profile_event_register_application_event, UseProducer)
HEDDLE_CHECK_HOOK(hsa_ext_profile_event_deregister_application_event, UseProducer)
HEDDLE_CHECK_HOOK(hsa_ext_profile_event_trigger_application_event, UseProducer)
HEDDLE_CHECK_HOOK(hsa_ext_perf_counter_session_context_set_valid, CounterSessions)

/// Adds a finding for each place in the program whose objects are still alive.
void find_leaks(const Checker& checker, Call& call);

}  // namespace heddle::check
