// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has become of the objects behind handles: who made them, where, and who destroyed them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "layers/check/report.h"
#include "layers/check/rules.h"
#include "layers/check/site.h"

namespace heddle::check {

enum class Kind : uint8_t {
  signal,
  signal_group,
  queue,
  executable,
  reader,
  code_object,
  program,
  writer,
  image,
  sampler,
  counter_session,
  event_producer,
  log,
  memory_handle,
};
inline constexpr size_t kind_count = 14;

/// Returns the name of a kind with its article, such as "a signal".
const char* name_of(Kind kind);
/// Returns the rule about uses of destroyed objects of a kind.
const Rule& destroyed_rule(Kind kind);

/// A call that began or ended the life of something.
struct Event {
  const char* function = nullptr;
  Site site;
};

struct Object {
  enum class State : uint8_t {
    live,
    destroyed,
    ended  ///< with the last hsa_shut_down, or because it is an object of the process that forked
  };
  State state = State::live;
  uint32_t references = 1;  ///< more if functions have returned the same handle again
  bool implied = false;     ///< made and destroyed with another object, as the doorbell of a queue
  Event made;
  Event destroyed;
};

/// Returns where the object was made and, if so, destroyed.
std::vector<Note> life_of(const Object& object);

class Objects {
 public:
  /// Begins a life. The handle may have been that of an object that is gone.
  void make(Kind kind, uint64_t handle, const Event& event, bool implied = false);
  /// Ends a life, or takes away one reference. Returns false, without effect, for handles that are not live.
  bool destroy(Kind kind, uint64_t handle, const Event& event);
  /// Undoes destroy(): the runtime has refused to destroy the object.
  void keep(Kind kind, uint64_t handle);
  /// Ends all lives, or all of a kind.
  void end_all(const Event& event);
  void end_all(Kind kind, const Event& event);
  /// After this, nothing is known to be unknown: the layer had no memory to note an object.
  void lose_track() { complete_ = false; }

  const Object* find(Kind kind, uint64_t handle) const;
  bool is_live(Kind kind, uint64_t handle) const;
  /// Returns what is wrong with the use of a handle as one of this kind, if anything. `destroys` says that
  /// the use would end the object's life.
  std::optional<Finding> check(Kind kind, uint64_t handle, bool destroys = false) const;

  /// Calls f(kind, handle, object) for each live object that is not implied by another one.
  template <typename F>
  void for_each_live(F f) const {
    for (size_t kind = 0; kind < kind_count; ++kind)
      for (const auto& [handle, object] : objects_[kind])
        if (object.state == Object::State::live && !object.implied)
          f(static_cast<Kind>(kind), handle, object);
  }

 private:
  static constexpr size_t remembered = 65536;  ///< objects of each kind that are gone
  std::array<std::unordered_map<uint64_t, Object>, kind_count> objects_;
  std::array<std::deque<uint64_t>, kind_count> gone_;
  bool complete_ = true;

  void end(size_t kind, uint64_t handle, Object& object, Object::State state, const Event& event);
};

}  // namespace heddle::check
