// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The protocol of queues: producers of packets, the thread that serves the queue, a helper that executes a
// dispatch, and whoever destroys the queue. The doorbell, the waiter and the dependencies are those of
// hsam/signal.h; the rest repeats src/agents/common/packet_processor.cpp function by function
// (docs/models.md). There are no deadlines, so that nothing that is missed is found by chance later.
#include <array>

#include "instrumented_signal.h"
#include "run_models.h"

namespace heddle::model {
namespace {

/// With a definition of the build, one step of the protocol is wrong.
#ifdef HEDDLE_MODEL_SLEEPS_WITHOUT_LOOK
constexpr bool sleeps_without_look = true;
#else
constexpr bool sleeps_without_look = false;
#endif
#ifdef HEDDLE_MODEL_INDEX_FIRST
constexpr bool index_first = true;
#else
constexpr bool index_first = false;
#endif
#ifdef HEDDLE_MODEL_HEADER_FIRST
constexpr bool header_first = true;
#else
constexpr bool header_first = false;
#endif
#ifdef HEDDLE_MODEL_KICKS_WITHOUT_LOCK
constexpr bool kicks_without_lock = true;
#else
constexpr bool kicks_without_lock = false;
#endif
#ifdef HEDDLE_MODEL_BARRIER_POLLS
constexpr bool barrier_polls = true;
#else
constexpr bool barrier_polls = false;
#endif
#ifdef HEDDLE_MODEL_RESETS_LATE
constexpr bool resets_late = true;
#else
constexpr bool resets_late = false;
#endif

enum State : uint32_t { active, error, inactive };
enum Type : uint32_t { invalid = 1, dispatch = 2, barrier_and = 3, helped = 4, barrier_or = 5, unknown = 9 };
constexpr uint32_t barrier_bit = 0x100;
constexpr uint64_t ring_size = 2;

struct Slot {
  uint32_t header;
  uint32_t payload;
};

/// What the threads share.
struct Shared {
  alignas(64) hsam_signal doorbell;
  alignas(64) hsam_signal done;
  alignas(64) hsam_signal dependency[2];
  hsa_signal_object object;
  uint64_t write_index, read_index;
  Slot ring[ring_size];
  // PacketProcessor
  hsam_waiter waiter;
  uint32_t state, in_flight, mutex, life_ended, gone;
  uint32_t for_helper;  ///< a dispatch waits for the helper
  // What happened.
  uint32_t executed, order, errors, completed;  ///< for the models only, so that plain accesses will do
};
static_assert(sizeof(Shared) <= 1024);

Shared& shared() { return *reinterpret_cast<Shared*>(arena()); }

template <typename T>
T get(T& word) {
  return __atomic_load_n(&word, __ATOMIC_SEQ_CST);
}
template <typename T>
void set(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
}

void lock() {
  uint32_t expected = 0;
  while (
      !__atomic_compare_exchange_n(&shared().mutex, &expected, 1u, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    await(&shared().mutex, 0);
    expected = 0;
  }
}
void unlock() { (void)__atomic_exchange_n(&shared().mutex, 0u, __ATOMIC_RELEASE); }

/// The packet processor is not used after its end.
void require_there() { require(shared().gone == 0, "the packet processor is used after its end"); }

// ---- producers (Runtime 2.5, 2.6) ----

void submit(uint32_t header, uint32_t payload) {
  Shared& s = shared();
  const uint64_t index = __atomic_fetch_add(&s.write_index, 1, __ATOMIC_SEQ_CST);
  while (index - __atomic_load_n(&s.read_index, __ATOMIC_ACQUIRE) >= ring_size) {
    if (get(s.state) != active) return;  // nobody makes room any more
  }
  Slot& slot = s.ring[index % ring_size];
  if (header_first) __atomic_store_n(&slot.header, header, __ATOMIC_RELEASE);
  __atomic_store_n(&slot.payload, payload, __ATOMIC_RELAXED);
  if (!header_first) __atomic_store_n(&slot.header, header, __ATOMIC_RELEASE);
  hsam_signal_store_screlease(&s.doorbell, static_cast<int64_t>(index));
}

// ---- the queue's thread: PacketProcessor ----

/// PacketProcessor::Barrier, with two dependencies.
struct Barrier {
  bool present;
  bool any, one_met;
  uint32_t missing;
  hsam_signal* waiting[2];
  hsam_wait_record records[2];

  void start(bool any_) {
    Shared& s = shared();
    *this = {};
    present = true;
    any = any_;
    for (uint32_t i = 0; i < 2; ++i) {
      hsam_signal* signal = &s.dependency[i];
      if (hsam_signal_load_scacquire(signal) == 0) {
        one_met = true;
        continue;
      }
      waiting[i] = signal;
      ++missing;
      hsam_wait_arm(&records[i], &s.waiter, signal, HSA_SIGNAL_CONDITION_EQ, 0);
    }
  }
  bool satisfied() {
    for (uint32_t i = 0; i < 2; ++i) {
      hsam_signal* signal = waiting[i];
      if (signal == nullptr) continue;
      if (hsam_signal_load_scacquire(signal) != 0 && (barrier_polls || !hsam_wait_is_met(&records[i])))
        continue;
      hsam_wait_disarm(&records[i]);
      waiting[i] = nullptr;
      --missing;
      one_met = true;
    }
    return any ? one_met : missing == 0;
  }
  void reset() {
    if (!present) return;
    for (uint32_t i = 0; i < 2; ++i)
      if (waiting[i] != nullptr) hsam_wait_disarm(&records[i]);
    *this = {};
  }
};

struct Processor {
  uint64_t read, limit;
  int64_t doorbell_seen;
  bool moved;
  Barrier barrier;

  void look_at_doorbell() {
    const int64_t value = hsam_signal_load_scacquire(&shared().doorbell);
    if (value == doorbell_seen) return;
    doorbell_seen = value;
    limit = __atomic_load_n(&shared().write_index, __ATOMIC_ACQUIRE);
  }
  bool admit(uint32_t header) {
    const uint32_t in_flight = __atomic_load_n(&shared().in_flight, __ATOMIC_ACQUIRE);
    return (header & barrier_bit) != 0 ? in_flight == 0 : true;
  }
  uint32_t header_of_next() {
    return __atomic_load_n(&shared().ring[read % ring_size].header, __ATOMIC_ACQUIRE);
  }

  bool ready() {
    if (hsam_signal_load_scacquire(&shared().doorbell) != doorbell_seen) return true;
    if (barrier.present) return barrier.satisfied();
    if (read >= limit) return false;
    const uint32_t header = header_of_next();
    return (header & 0xff) != invalid && admit(header);
  }

  void release_slot() {
    Slot& slot = shared().ring[read % ring_size];
    ++read;
    if (index_first) __atomic_store_n(&shared().read_index, read, __ATOMIC_RELEASE);
    __atomic_store_n(&slot.header, uint32_t{invalid}, __ATOMIC_RELEASE);
    if (!index_first) __atomic_store_n(&shared().read_index, read, __ATOMIC_RELEASE);
  }

  void complete() {
    require_there();
    ++shared().completed;
    hsam_signal_subtract_screlease(&shared().done, 1);
  }

  /// Each packet's payload is its place in the order in which one producer submits, if there is only one.
  void execute(uint32_t payload) {
    require(payload != 0 && (shared().executed & 1u << payload) == 0,
            "a packet is executed twice or is incomplete");
    shared().executed |= 1u << payload;
    shared().order = shared().order * 4 + payload;
    complete();
  }

  void fail() {
    uint32_t expected = active;
    if (!__atomic_compare_exchange_n(&shared().state, &expected, uint32_t{error}, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
      return;
    require_there();
    ++shared().errors;
  }

  bool launch_next() {
    if (barrier.present) {
      if (!barrier.satisfied()) return false;
      barrier.reset();
      complete();
      return true;
    }
    if (read >= limit) return false;
    const uint32_t header = header_of_next();
    if ((header & 0xff) == invalid || !admit(header)) return false;
    const uint32_t payload = __atomic_load_n(&shared().ring[read % ring_size].payload, __ATOMIC_RELAXED);
    release_slot();
    switch (header & 0xff) {
      case dispatch:
        execute(payload);
        break;
      case helped:
        __atomic_fetch_add(&shared().in_flight, 1u, __ATOMIC_SEQ_CST);
        set(shared().for_helper, 1u);
        break;
      case barrier_and:
      case barrier_or:
        barrier.start((header & 0xff) == barrier_or);
        break;
      default:
        fail();
    }
    return true;
  }

  void sleep() {
    Shared& s = shared();
    hsam_wait_record rung;
    hsam_wait_arm(&rung, &s.waiter, &s.doorbell, HSAM_CONDITION_ANY_SEND, 0);
    if (sleeps_without_look || get(s.state) != active || !ready()) hsam_waiter_sleep(&s.waiter, UINT64_MAX);
    if (hsam_wait_disarm(&rung)) {
      doorbell_seen = hsam_signal_load_scacquire(&s.doorbell);
      limit = __atomic_load_n(&s.write_index, __ATOMIC_ACQUIRE);
    }
  }

  /// Ends when the queue is inactive, or after so many packets.
  void serve(uint32_t packets = UINT32_MAX) {
    Shared& s = shared();
    while (s.completed != packets) {
      if (!resets_late) hsam_waiter_reset(&s.waiter);
      moved = false;
      look_at_doorbell();
      while (get(s.state) == active && launch_next()) moved = true;
      if (moved) continue;
      if (get(s.state) != active) {
        barrier.reset();
        if (__atomic_load_n(&s.in_flight, __ATOMIC_ACQUIRE) == 0 && get(s.state) == inactive) return;
      }
      if (resets_late) hsam_waiter_reset(&s.waiter);
      sleep();
    }
  }
};

void queue_thread() {
  Processor processor{};
  processor.doorbell_seen = -1;
  processor.serve();
  lock();
  set(shared().life_ended, 1u);
  unlock();
}

/// Serves two packets only, so that nobody need destroy the queue: one thread less to interleave.
void queue_thread_for_two() {
  Processor processor{};
  processor.doorbell_seen = -1;
  processor.serve(2);
}

/// A thread of the pool: PacketProcessor::finished.
void helper() {
  Shared& s = shared();
  await(&s.for_helper, 1);
  if (get(s.state) == active) Processor{}.complete();
  lock();
  require_there();
  __atomic_fetch_sub(&s.in_flight, 1u, __ATOMIC_RELEASE);
  if (kicks_without_lock) unlock();
  require_there();
  hsam_waiter_kick(&s.waiter);
  require_there();
  if (!kicks_without_lock) unlock();
}

/// PacketProcessor::inactivate, and the end of the processor.
void destroy() {
  Shared& s = shared();
  set(s.state, uint32_t{inactive});
  lock();
  const bool ended = s.life_ended != 0;
  if (!ended) hsam_waiter_kick(&s.waiter);
  unlock();
  await(&s.life_ended, 1);
  lock();
  unlock();
  s.gone = 1;
}

/// Waits for the completion of all packets first; the models of signals show that such waits end.
void when_done_destroy() {
  await(reinterpret_cast<uint32_t*>(&shared().done.value), 0);
  destroy();
}

// ---- models ----

void make(int64_t packets, void (*thread)() = queue_thread) {
  Shared& s = shared();
  for (hsam_signal* signal : {&s.doorbell, &s.done, &s.dependency[0], &s.dependency[1]}) {
    signal->flags = 1u << HSAM_SIGNAL_GENERATION_SHIFT;
    signal->object = &s.object;
  }
  s.doorbell.value = -1;
  s.done.value = packets;
  for (Slot& slot : s.ring) slot.header = invalid;
  spawn(thread);
}

/// Packets that were submitted before the threads begin.
void fill(std::initializer_list<Slot> packets) {
  Shared& s = shared();
  for (const Slot& packet : packets) s.ring[s.write_index++] = packet;
  s.doorbell.value = static_cast<int64_t>(s.write_index) - 1;
}

void require_quiet() {
  const Shared& s = shared();
  for (const hsam_signal* signal : {&s.doorbell, &s.done, &s.dependency[0], &s.dependency[1]})
    require(signal->waiters == 0 && signal->wait_records == nullptr && signal->futex == 0,
            "a record or a lock is left");
  require(s.in_flight == 0, "a dispatch is still in flight");
}

/// Two producers reserve, fill and ring in any order.
const Model producers = {.set_up =
                             [] {
                               make(2, queue_thread_for_two);
                               spawn([] { submit(dispatch, 1); });
                               spawn([] { submit(dispatch, 2); });
                             },
                         .at_end =
                             [] {
                               require(shared().executed == 6, "a packet was not executed");
                               require_quiet();
                             }};
/// More packets than slots.
const Model wrap = {.set_up =
                        [] {
                          make(3);
                          spawn([] {
                            for (uint32_t i = 1; i <= 3; ++i) submit(dispatch, i);
                          });
                          spawn(when_done_destroy);
                        },
                    .at_end =
                        [] {
                          require(shared().order == (1 * 4 + 2) * 4 + 3,
                                  "packets were not executed in order");
                          require_quiet();
                        }};
/// A barrier packet between dispatches. The first dependency is 0 for a moment only, while the packet waits.
const Model barrier = {.set_up =
                           [] {
                             make(2);
                             shared().dependency[0].value = shared().dependency[1].value = 1;
                             fill({{barrier_and, 0}, {dispatch, 1}});
                             spawn([] {
                               Shared& s = shared();
                               await(&s.dependency[0].waiters, 1);
                               hsam_signal_store_screlease(&s.dependency[0], 0);
                               hsam_signal_store_screlease(&s.dependency[0], 5);
                               hsam_signal_subtract_screlease(&s.dependency[1], 1);
                             });
                             spawn(when_done_destroy);
                           },
                       .at_end =
                           [] {
                             require(shared().executed == 2, "the packet behind a barrier was not executed");
                             require_quiet();
                           }};
/// One dependency is enough for an OR packet; the other is never met.
const Model barrier_any = {.set_up =
                               [] {
                                 make(1);
                                 shared().dependency[0].value = shared().dependency[1].value = 1;
                                 fill({{barrier_or, 0}});
                                 spawn([] { hsam_signal_store_screlease(&shared().dependency[1], 0); });
                                 spawn(when_done_destroy);
                               },
                           .at_end = require_quiet};
/// A packet with the barrier bit waits for a dispatch that a helper executes.
const Model barrier_bit_waits = {.set_up =
                                     [] {
                                       make(2);
                                       fill({{helped, 0}, {dispatch | barrier_bit, 1}});
                                       spawn(helper);
                                       spawn(when_done_destroy);
                                     },
                                 .at_end =
                                     [] {
                                       require(shared().executed == 2,
                                               "a packet with the barrier bit was not executed");
                                       require_quiet();
                                     }};
/// The queue is destroyed at any moment, also while a helper works and a barrier packet waits for ever.
const Model destruction = {.set_up =
                               [] {
                                 make(1);
                                 shared().dependency[0].value = 1;
                                 fill({{helped, 0}, {barrier_and, 0}});
                                 spawn(destroy);
                                 spawn([] {
                                   // If the dispatch is never launched, there is nothing to help with.
                                   Shared& s = shared();
                                   for (;;) {
                                     if (get(s.for_helper) != 0) return helper();
                                     if (get(s.life_ended) != 0) return;
                                   }
                                 });
                               },
                           .at_end = require_quiet};
/// A wrong packet fails the queue, at most once, and never after the queue was destroyed.
const Model failure = {.set_up =
                           [] {
                             make(1);
                             fill({{unknown, 0}});
                             spawn([] { submit(unknown, 0); });
                             spawn(destroy);
                           },
                       .at_end =
                           [] {
                             require(shared().errors <= 1, "a queue failed twice");
                             require(shared().completed == 0, "a wrong packet completed");
                             require_quiet();
                           }};

}  // namespace
}  // namespace heddle::model

int main(int argc, char** argv) {
  using namespace heddle::model;
  const std::array models = {
      NamedModel{"barrier_any", barrier_any}, NamedModel{"wrap", wrap},
      NamedModel{"failure", failure},         NamedModel{"barrier_bit", barrier_bit_waits},
      NamedModel{"producers", producers},     NamedModel{"barrier", barrier},
      NamedModel{"destruction", destruction}};
  return run_models(models, argc, argv);
}
