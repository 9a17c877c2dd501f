// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The protocols of include/hsam/signal.h: send and wait, waits for several signals, timeouts, blocks that
// become another signal, destinations that change, and signals of two processes. docs/models.md says what
// each shows.
#include <array>

#include "instrumented_signal.h"
#include "run_models.h"

namespace heddle::model {
namespace {

struct Object {
  hsa_signal_object object;  ///< with one root
};

/// What the threads share. The first signal lies at the beginning of a segment of shared signals behind its
/// header.
struct Shared {
  hsam_shared_header header;
  alignas(64) hsam_signal signal;
  alignas(64) hsam_signal other;
  Object object, other_object;
  hsa_destination_node node;
  uint64_t doorbell;
  uint32_t flag, second_flag, ended, unreachable;
};
static_assert(sizeof(Shared) <= 1024);

Shared& shared() { return *reinterpret_cast<Shared*>(arena()); }

void unreachable(hsa_signal_object*, int64_t) {
  __atomic_store_n(&shared().unreachable, 1u, __ATOMIC_SEQ_CST);
}
const hsam_signal_hooks hooks = {.destination_unreachable = unreachable};

void make(hsam_signal& signal, Object& object, int64_t value) {
  signal.value = value;
  signal.flags = 1u << HSAM_SIGNAL_GENERATION_SHIFT;
  signal.object = &object.object;
  signal.hooks = &hooks;
  object.object.number_of_dests = 1;
}

/// Nobody waits any more, and no lock is held.
void require_quiet(const hsam_signal& signal) {
  require(signal.waiters == 0 && signal.wait_records == nullptr, "a wait record is left");
  require(signal.futex == 0, "a lock is left");
}
void quiet() {
  require_quiet(shared().signal);
  require_quiet(shared().other);
}

int64_t wait(hsam_signal& signal, hsa_signal_condition_t condition, int64_t compare,
             uint64_t timeout = UINT64_MAX) {
  return hsam_signal_wait_scacquire(&signal, condition, compare, timeout, HSA_WAIT_STATE_BLOCKED);
}

// ---- one signal ----

void wait_for_zero() {
  require(wait(shared().signal, HSA_SIGNAL_CONDITION_EQ, 0) == 0, "a wait ended early");
}
void subtract_one() { hsam_signal_subtract_screlease(&shared().signal, 1); }
void store_zero() { hsam_signal_store_screlease(&shared().signal, 0); }

const Model completions = {.set_up =
                               [] {
                                 make(shared().signal, shared().object, 2);
                                 spawn(wait_for_zero);
                                 spawn(subtract_one);
                                 spawn(subtract_one);
                               },
                           .at_end = quiet};
const Model two_waiters = {.set_up =
                               [] {
                                 make(shared().signal, shared().object, 1);
                                 spawn(wait_for_zero);
                                 spawn(wait_for_zero);
                                 spawn(store_zero);
                               },
                           .at_end = quiet};
/// Nothing but the store tells the waiter: the sender only stores.
const Model stores = {.set_up =
                          [] {
                            make(shared().signal, shared().object, 1);
                            spawn(wait_for_zero);
                            spawn(store_zero);
                          },
                      .at_end = quiet};

/// The condition holds for a moment while somebody is registered for it.
const Model moment = {
    .set_up =
        [] {
          make(shared().signal, shared().object, 0);
          spawn([] { require(wait(shared().signal, HSA_SIGNAL_CONDITION_EQ, 1) == 1, "wrong value"); });
          spawn([] {
            await(&shared().signal.waiters, 1);
            hsam_signal_store_screlease(&shared().signal, 1);
          });
          spawn([] { hsam_signal_cas_relaxed(&shared().signal, 1, 2); });
        },
    .at_end = quiet};

/// A wait has ended with the value and taken it back. The next wait does not end with the same send again.
const Model consumed = {.set_up =
                            [] {
                              make(shared().signal, shared().object, 1);
                              spawn([] {
                                Shared& s = shared();
                                wait_for_zero();
                                hsam_signal_store_screlease(&s.signal, 1);
                                require(wait(s.signal, HSA_SIGNAL_CONDITION_EQ, 0, 1u << 30) == 1,
                                        "a value ended two waits");
                              });
                              spawn(store_zero);
                            },
                        .at_end = quiet};

/// Runtime 2.4.1.40: a wait ends with the value or with the timeout.
const Model timeout = {.set_up =
                           [] {
                             make(shared().signal, shared().object, 1);
                             spawn([] {
                               const int64_t value =
                                   wait(shared().signal, HSA_SIGNAL_CONDITION_EQ, 0, 1u << 30);
                               require(value == 0 || value == 1, "a value that never was");
                             });
                             spawn(wait_for_zero);
                             spawn(store_zero);
                           },
                       .at_end = quiet};

// ---- several signals ----

void wait_for_both() {
  Shared& s = shared();
  hsam_signal* signals[] = {&s.signal, &s.other};
  const hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
  const int64_t compares[] = {0, 0};
  hsam_wait_record records[2];
  int64_t value = -1;
  const uint32_t found = hsam_signal_wait_any(2, signals, conditions, compares, UINT64_MAX,
                                              HSA_WAIT_STATE_BLOCKED, records, &value);
  require(found < 2 && value == 0, "a wait for several signals ended without one");
}

const Model several = {.set_up =
                           [] {
                             Shared& s = shared();
                             make(s.signal, s.object, 1);
                             make(s.other, s.other_object, 1);
                             spawn(wait_for_both);
                             spawn(store_zero);
                             spawn([] { hsam_signal_subtract_screlease(&shared().other, 1); });
                           },
                       .at_end = quiet};

// ---- blocks that are used again ----

/// The owner destroys a signal as soon as it has its value, and its block becomes the next signal (what
/// SignalTable::destroy and create do), while the sender may still be in its send.
void use_block_again() {
  Shared& s = shared();
  wait_for_zero();
  const uint32_t generation =
      (__atomic_load_n(&s.signal.flags, __ATOMIC_RELAXED) >> HSAM_SIGNAL_GENERATION_SHIFT) + 1;
  __atomic_store_n(&s.signal.flags, generation << HSAM_SIGNAL_GENERATION_SHIFT, __ATOMIC_SEQ_CST);
  __atomic_store_n(&s.signal.value, int64_t{5}, __ATOMIC_SEQ_CST);
  __atomic_store_n(&s.flag, 1u, __ATOMIC_SEQ_CST);
  // The next signal is awaited with the condition that the last send to its predecessor met.
  require(wait(s.signal, HSA_SIGNAL_CONDITION_EQ, 0) == 0, "a wait ended early");
  require(s.second_flag == 1, "a send to a signal that is gone ended the wait for another");
}

const Model reuse = {.set_up =
                         [] {
                           make(shared().signal, shared().object, 1);
                           spawn(use_block_again);
                           spawn(subtract_one);
                           spawn([] {
                             await(&shared().flag, 1);
                             __atomic_store_n(&shared().second_flag, 1u, __ATOMIC_SEQ_CST);
                             store_zero();
                           });
                         },
                     .at_end = quiet};

// ---- destinations ----

constexpr uint64_t doorbell_value = 7;

/// An agent looks at the value after each change of its root.
void look_at_value() {
#ifndef HEDDLE_MODEL_AGENT_DOES_NOT_LOOK
  if (hsam_signal_load_scacquire(&shared().signal) == 0)
    __atomic_store_n(&shared().flag, 1u, __ATOMIC_SEQ_CST);
#endif
}

/// An agent attaches a node, and then looks at the value. Either the sender rings, or the agent sees the
/// value.
void attach_destination() {
  Shared& s = shared();
  s.node.doorbell_address = &s.doorbell;
  hsam_root_update(&s.signal, &s.object.object.root_dest_array[0],
                   doorbell_value << HSAM_ROOT_DOORBELL_VALUE_SHIFT, &s.node, nullptr);
  look_at_value();
}

const Model destination = {.set_up =
                               [] {
                                 make(shared().signal, shared().object, 1);
                                 spawn(attach_destination);
                                 spawn(store_zero);
                               },
                           .at_end =
                               [] {
                                 require(shared().flag == 1 || shared().doorbell == doorbell_value,
                                         "an agent neither saw a value nor was rung for it");
                               }};

/// The agent of an attached node goes to sleep: it becomes INACTIVE and then unlinks its node. Whoever sends
/// is told, or the agent sees the value.
void become_inactive() {
  Shared& s = shared();
  hsam_root_update(&s.signal, &s.object.object.root_dest_array[0], HSAM_NODE_STATE_INACTIVE, nullptr,
                   nullptr);
  look_at_value();
}

const Model inactivity = {
    .set_up =
        [] {
          Shared& s = shared();
          make(s.signal, s.object, 1);
          s.node.doorbell_address = &s.doorbell;
          s.object.object.root_dest_array[0].flags = doorbell_value << HSAM_ROOT_DOORBELL_VALUE_SHIFT;
          s.object.object.root_dest_array[0].next_dest_hier = &s.node;
          s.signal.attached = 1;
          spawn(become_inactive);
          spawn(store_zero);
        },
    .at_end =
        [] {
          require(shared().flag == 1 || shared().unreachable == 1 || shared().doorbell == doorbell_value,
                  "a send reached neither a doorbell nor the hook of an inactive agent");
        }};

// ---- signals of two processes ----

/// SharedSignals::relay for the only signal.
void relay() {
  Shared& s = shared();
  for (;;) {
#ifdef HEDDLE_MODEL_RELAY_LOOKS_FIRST
    const bool looks_first = true;
#else
    const bool looks_first = false;
#endif
    uint32_t sequence = looks_first ? 0 : __atomic_load_n(&s.header.sequence, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&s.ended, __ATOMIC_SEQ_CST) != 0) return;
    hsam_signal* local = hsam_signal_local(&s.signal);
    if (__atomic_load_n(&local->waiters, __ATOMIC_SEQ_CST) != 0) hsam_signal_notify_present(&s.signal);
    if (looks_first) sequence = __atomic_load_n(&s.header.sequence, __ATOMIC_SEQ_CST);
    hsam_shared_sleep(&s.header, sequence);
  }
}

/// A thread of another process has a local part of its own, without waiters, so that of hsam_signal_notify
/// only the last step matters.
void send_from_elsewhere() {
  Shared& s = shared();
  (void)__atomic_exchange_n(&s.signal.value, int64_t{0}, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&s.signal.waiters, __ATOMIC_SEQ_CST) != 0) hsam_shared_wake(&s.header);
}

const Model processes = {.set_up =
                             [] {
                               Shared& s = shared();
                               make(s.signal, s.object, 1);
                               s.signal.flags |= HSAM_SIGNAL_SHARED;
                               auto* local = hsam_signal_local(&s.signal);
                               local->object = &s.object.object;
                               spawn([] {
                                 wait_for_zero();
                                 // SharedSignals::stop
                                 __atomic_store_n(&shared().ended, 1u, __ATOMIC_SEQ_CST);
                                 hsam_shared_wake(&shared().header);
                               });
                               spawn(relay);
                               spawn(send_from_elsewhere);
                             },
                         .at_end =
                             [] {
                               require(shared().signal.waiters == 0, "a wait record is left");
                               require(hsam_signal_local(&shared().signal)->futex == 0, "a lock is left");
                             }};

}  // namespace
}  // namespace heddle::model

int main(int argc, char** argv) {
  using namespace heddle::model;
  const std::array models = {NamedModel{"stores", stores},
                             NamedModel{"completions", completions},
                             NamedModel{"moment", moment},
                             NamedModel{"consumed", consumed},
                             NamedModel{"timeout", timeout},
                             NamedModel{"several", several},
                             NamedModel{"reuse", reuse},
                             NamedModel{"destination", destination},
                             NamedModel{"inactivity", inactivity},
                             NamedModel{"processes", processes},
                             NamedModel{"two_waiters", two_waiters}};
  return run_models(models, argc, argv);
}
