// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/life_hooks.h"

#include <map>
#include <string>

#include <fmt/format.h>

namespace heddle::check {
namespace {

/// What was made at one place and never destroyed.
struct Leak {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t first = 0;  ///< handle or address
  Event made;
};

/// Leaks by what they are and where they were made.
class Leaks {
 public:
  void add(const std::string& what, uint64_t handle, const Event& made, uint64_t bytes = 0) {
    Leak& leak = leaks_[{what, made.site.key()}];
    if (leak.count++ == 0) {
      leak.first = handle;
      leak.made = made;
    }
    leak.bytes += bytes;
  }
  void report(Call& call) const {
    for (const auto& [key, leak] : leaks_)
      call.add(rules::leak,
               fmt::format("{} was never {}: {} of them{} from this place, the first one {:#x}", key.first,
                           key.first == "memory" ? "freed" : (key.first == "a lock" ? "undone" : "destroyed"),
                           leak.count, leak.bytes != 0 ? fmt::format(" with {} bytes", leak.bytes) : "",
                           leak.first),
               {{fmt::format("made by {}", leak.made.function), leak.made.site}});
  }

 private:
  std::map<std::pair<std::string, uint64_t>, Leak> leaks_;
};

}  // namespace

void find_leaks(const Checker& checker, Call& call) {
  Leaks leaks;
  checker.objects.for_each_live([&](Kind kind, uint64_t handle, const Object& object) {
    leaks.add(name_of(kind), handle, object.made);
  });
  for (const auto& [begin, allocation] : checker.memory.live())
    leaks.add("memory", begin, allocation.made, allocation.size);
  for (const auto& [address, events] : checker.memory.locked())
    for (const Event& event : events) leaks.add("a lock", address, event);
  leaks.report(call);
}

void Initialise::after(Checker& checker, Call&, hsa_status_t status) {
  if (status == HSA_STATUS_SUCCESS) ++checker.references;
}

void ShutDown::before(Checker& checker, Call& call) {
  if (checker.references != 1) return;
  for (const CallUnderWay::Other& other : CallUnderWay::of_other_threads())
    if (std::string_view(other.function) != "hsa_init" && std::string_view(other.function) != "hsa_shut_down")
      call.add(rules::shut_down_race,
               fmt::format("thread {} is in {} during the last hsa_shut_down", other.thread, other.function));
  checker.shutting_down = this_thread();
}

void ShutDown::after(Checker& checker, Call&, hsa_status_t status) {
  if (checker.shutting_down == this_thread()) checker.shutting_down = 0;
  // Nobody gets here after the last one, which has unloaded the layer.
  if (status == HSA_STATUS_SUCCESS) --checker.references;
}

void RegisterProducer::after(Checker& checker, Call& call, hsa_status_t status, const char*, const char*,
                             uint64_t* producer) {
  if (status == HSA_STATUS_SUCCESS) checker.objects.make(Kind::event_producer, *producer, call.event());
}

void DeregisterProducer::before(Checker& checker, Call& call, uint64_t producer) {
  call.add(checker.objects.check(Kind::event_producer, producer, true));
}

void DeregisterProducer::after(Checker& checker, Call& call, hsa_status_t status, uint64_t producer) {
  if (status == HSA_STATUS_SUCCESS) checker.objects.destroy(Kind::event_producer, producer, call.event());
}

void UseProducer::check(const Checker& checker, Call& call, uint64_t producer) {
  call.add(checker.objects.check(Kind::event_producer, producer));
}

void CounterSessions::before(Checker& checker, Call& call, hsa_ext_perf_counter_session_ctx_t* sessions,
                             size_t count, bool*) {
  for (size_t i = 0; sessions != nullptr && i < checkable(count); ++i)
    call.add(checker.objects.check(Kind::counter_session, sessions[i].handle));
}

}  // namespace heddle::check
