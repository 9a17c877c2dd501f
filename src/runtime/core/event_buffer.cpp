// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/event_buffer.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "driver/log.h"

namespace heddle::runtime {

CollectedEvent::CollectedEvent(std::shared_ptr<const EventDefinition> definition, uint64_t producer_id,
                               uint64_t timestamp, const void* metadata)
    : definition_(std::move(definition)), producer_id_(producer_id), timestamp_(timestamp) {
  const size_t size = definition_->metadata_size();
  if (metadata == nullptr || size == 0) return;
  metadata_.resize((size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  std::memcpy(metadata_.data(), metadata, size);
  copy_strings();
}

/// Replaces the addresses of strings by those of copies, so that the event may outlive the strings.
void CollectedEvent::copy_strings() {
  auto* bytes = reinterpret_cast<std::byte*>(metadata_.data());
  strings_.reserve(definition_->field_count());  // the copies must not move
  for (size_t i = 0; i < definition_->field_count(); ++i) {
    if (definition_->field_type(i) != HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING) continue;
    const char* text = nullptr;
    std::byte* const field = bytes + definition_->field_offset(i);
    std::memcpy(static_cast<void*>(&text), field, sizeof text);
    if (text == nullptr) continue;
    const char* const copy = strings_.emplace_back(text).c_str();
    std::memcpy(field, static_cast<const void*>(&copy), sizeof copy);
  }
}

hsa_ext_profile_event_t CollectedEvent::view() {
  hsa_ext_profile_event_t event{};
  event.producer_type = static_cast<uint32_t>(definition_->producer_type());
  event.producer_id = producer_id_;
  event.event_id = definition_->id();
  event.name = definition_->name().c_str();
  event.name_length = definition_->name().size();
  event.description = definition_->description().c_str();
  event.description_length = definition_->description().size();
  event.timestamp = timestamp_;
  event.metadata = metadata_.empty() ? nullptr : metadata_.data();
  event.metadata_size = metadata_.empty() ? 0 : definition_->metadata_size();
  return event;
}

size_t CollectedEvent::size() const {
  size_t size = sizeof(*this) + metadata_.size() * sizeof(uint64_t);
  for (const std::string& text : strings_) size += sizeof(std::string) + text.size();
  return size;
}

void EventBuffer::push(std::span<std::unique_ptr<CollectedEvent>> events) {
  size_t size = 0;
  for (const auto& event : events) size += event->size();
  std::lock_guard lock(mutex_);
  const bool fits = size <= limit_ && size_ <= limit_ - size;
  if (!fits && !dropping_)
    driver::log_warning("profile events are dropped: those that wait to be retrieved occupy {} bytes", size_);
  dropping_ = !fits;
  if (!fits) return;
  events_.insert(events_.end(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
  size_ += size;
}

bool EventBuffer::head(hsa_ext_profile_event_t& event) {
  std::lock_guard lock(mutex_);
  if (events_.empty()) return false;
  event = events_.front()->view();
  return true;
}

bool EventBuffer::pop(const hsa_ext_profile_event_t& event) {
  std::unique_ptr<CollectedEvent> popped;  // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  if (events_.empty()) return false;
  const hsa_ext_profile_event_t head = events_.front()->view();
  if (head.producer_type != event.producer_type || head.producer_id != event.producer_id ||
      head.event_id != event.event_id || head.timestamp != event.timestamp || head.metadata != event.metadata)
    return false;
  popped = std::move(events_.front());
  events_.pop_front();
  size_ -= popped->size();
  return true;
}

void EventBuffer::set_limit(size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes == 0 ? default_limit : bytes;
}

void EventBuffer::clear() {
  std::lock_guard lock(mutex_);
  events_.clear();
  size_ = 0;
  limit_ = default_limit;
  dropping_ = false;
}

}  // namespace heddle::runtime
