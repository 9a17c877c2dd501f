// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/objects.h"

#include <iterator>

#include <fmt/format.h>

namespace heddle::check {
namespace {

struct KindRow {
  const char* name;
  const Rule& destroyed;
};

constexpr KindRow kinds[kind_count] = {
    {"a signal", rules::signal_destroyed},
    {"a signal group", rules::signal_group_destroyed},
    {"a queue", rules::queue_destroyed},
    {"an executable", rules::executable_destroyed},
    {"a code object reader", rules::reader_destroyed},
    {"a code object", rules::code_object_destroyed},
    {"a program", rules::program_destroyed},
    {"a code object writer", rules::writer_destroyed},
    {"an image", rules::image_destroyed},
    {"a sampler", rules::sampler_destroyed},
    {"a performance counter session", rules::counter_session_destroyed},
    {"an event producer", rules::event_producer_destroyed},
    {"a log", rules::log_destroyed},
    {"a memory handle", rules::memory_handle_destroyed},
};
static_assert(std::size(kinds) == kind_count);

}  // namespace

const char* name_of(Kind kind) { return kinds[static_cast<size_t>(kind)].name; }
const Rule& destroyed_rule(Kind kind) { return kinds[static_cast<size_t>(kind)].destroyed; }

std::vector<Note> life_of(const Object& object) {
  std::vector<Note> notes;
  if (object.made.function != nullptr)
    notes.push_back({fmt::format("made by {}", object.made.function), object.made.site});
  if (object.destroyed.function != nullptr)
    notes.push_back({fmt::format("{} by {}", object.state == Object::State::ended ? "ended" : "destroyed",
                                 object.destroyed.function),
                     object.destroyed.site});
  return notes;
}

void Objects::make(Kind kind, uint64_t handle, const Event& event, bool implied) {
  Object& object = objects_[static_cast<size_t>(kind)][handle];
  if (object.made.function != nullptr && object.state == Object::State::live) {
    ++object.references;
    return;
  }
  object = {};
  object.made = event;
  object.implied = implied;
}

void Objects::end(size_t kind, uint64_t handle, Object& object, Object::State state, const Event& event) {
  object.state = state;
  object.destroyed = event;
  gone_[kind].push_back(handle);
}

bool Objects::destroy(Kind kind, uint64_t handle, const Event& event) {
  const auto index = static_cast<size_t>(kind);
  const auto found = objects_[index].find(handle);
  if (found == objects_[index].end() || found->second.state != Object::State::live) return false;
  if (--found->second.references != 0) return true;
  end(index, handle, found->second, Object::State::destroyed, event);
  while (gone_[index].size() > remembered) {
    const auto oldest = objects_[index].find(gone_[index].front());
    // The handle may have been given to a new object since.
    if (oldest != objects_[index].end() && oldest->second.state != Object::State::live)
      objects_[index].erase(oldest);
    gone_[index].pop_front();
  }
  return true;
}

void Objects::keep(Kind kind, uint64_t handle) {
  const auto found = objects_[static_cast<size_t>(kind)].find(handle);
  if (found == objects_[static_cast<size_t>(kind)].end()) return;
  Object& object = found->second;
  ++object.references;
  if (object.state != Object::State::destroyed) return;
  object.state = Object::State::live;
  object.destroyed = {};
}

void Objects::end_all(const Event& event) {
  for (size_t kind = 0; kind < kind_count; ++kind) end_all(static_cast<Kind>(kind), event);
}

void Objects::end_all(Kind kind, const Event& event) {
  const auto index = static_cast<size_t>(kind);
  for (auto& [handle, object] : objects_[index])
    if (object.state == Object::State::live) end(index, handle, object, Object::State::ended, event);
}

const Object* Objects::find(Kind kind, uint64_t handle) const {
  const auto& objects = objects_[static_cast<size_t>(kind)];
  const auto found = objects.find(handle);
  return found != objects.end() ? &found->second : nullptr;
}

bool Objects::is_live(Kind kind, uint64_t handle) const {
  const Object* object = find(kind, handle);
  return object != nullptr && object->state == Object::State::live;
}

std::optional<Finding> Objects::check(Kind kind, uint64_t handle, bool destroys) const {
  const Object* object = find(kind, handle);
  if (object != nullptr) {
    if (object->state == Object::State::live) return std::nullopt;
    if (object->state == Object::State::ended)
      return Finding{&rules::earlier_init,
                     fmt::format("{} with the handle {:#x} ended with an earlier {}", name_of(kind), handle,
                                 object->destroyed.function),
                     life_of(*object)};
    return Finding{destroys ? &rules::destroyed_twice : &destroyed_rule(kind),
                   fmt::format("{} with the handle {:#x} has been destroyed already", name_of(kind), handle),
                   life_of(*object)};
  }
  for (size_t other = 0; other < kind_count; ++other) {
    // Producers of events have small numbers, which anything may be.
    if (other == static_cast<size_t>(Kind::event_producer)) continue;
    const auto found = objects_[other].find(handle);
    if (found == objects_[other].end()) continue;
    return Finding{&rules::handle_kind,
                   fmt::format("{} is expected, and {:#x} is the handle of {}", name_of(kind), handle,
                               name_of(static_cast<Kind>(other))),
                   life_of(found->second)};
  }
  if (!complete_) return std::nullopt;
  return Finding{
      &rules::handle_unknown,
      fmt::format("{} is expected, and no function has returned the handle {:#x}", name_of(kind), handle),
      {}};
}

}  // namespace heddle::check
