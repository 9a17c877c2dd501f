// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/remote_driver.h"

#include <iterator>
#include <utility>

namespace heddle::cuda::remote {

RemoteDriver::RemoteDriver(ProcessOptions options) : options_(std::move(options)), api_(make_api(*this)) {
  constexpr std::pair<Status, const char*> own[] = {
      {Status::process_lost, "the process of the GPU has ended"},
      {Status::process_ended, "the process of the GPU was ended, because a kernel did not end"},
      {Status::given_up, "the driver in this process was given up, because a kernel did not end"}};
  for (const auto& [status, text] : own) {
    keep_text(true, status, "process of the GPU");
    keep_text(false, status, text);
  }
}

Result<void, Error> RemoteDriver::start() {
  if (in_child_) return Error{"a GPU that the parent of a fork has used cannot be used in the child"};
  std::lock_guard starting(start_mutex_);
  if (lost() == Status::success) return {};
  // Handles have 16 bits for the generation, of which 0 stands for none.
  const auto generation = static_cast<uint16_t>(generation_ == UINT16_MAX ? 1 : generation_ + 1);
  auto opened = Connection::open(options_, generation);
  if (!opened) return opened.error();
  {
    std::lock_guard lock(mutex_);
    generation_ = generation;
    mapped_.clear();
    connection_ = std::move(*opened);
  }
  learn_errors();
  return {};
}

std::shared_ptr<Connection> RemoteDriver::connection() const {
  std::lock_guard lock(mutex_);
  return connection_;
}

Status RemoteDriver::lost() const {
  const auto current = connection();
  return current ? current->lost() : Status::not_initialized;
}

void RemoteDriver::end(Status why) noexcept {
  if (const auto current = connection()) current->lose(why);
}

void RemoteDriver::look_after() noexcept {
  if (const auto current = connection()) current->look_after();
}

int64_t RemoteDriver::process_id() const {
  const auto current = connection();
  return current ? current->process_id() : 0;
}

const char* RemoteDriver::known_text(bool is_name, Status status) const {
  std::lock_guard lock(mutex_);
  const auto found = texts_.find({is_name, status});
  return found == texts_.end() ? nullptr : found->second.c_str();
}

const char* RemoteDriver::keep_text(bool is_name, Status status, std::string_view text) {
  std::lock_guard lock(mutex_);
  return texts_.try_emplace({is_name, status}, text).first->second.c_str();
}

/// Who is told of a fault cannot ask the process any more.
void RemoteDriver::learn_errors() {
  for (const Status status : sticky_errors()) {
    const char* text = nullptr;
    static_cast<void>(api_->error_name(status, &text));
    static_cast<void>(api_->error_text(status, &text));
  }
}

void RemoteDriver::note_mapped(uint64_t address, uint64_t size) {
  std::lock_guard lock(mutex_);
  mapped_.insert_or_assign(address, size);
}

void RemoteDriver::forget_mapped(uint64_t address) {
  std::lock_guard lock(mutex_);
  mapped_.erase(address);
}

bool RemoteDriver::is_mapped(uint64_t address, uint64_t size) const {
  std::lock_guard lock(mutex_);
  const auto next = mapped_.upper_bound(address);
  if (next == mapped_.begin()) return false;
  const auto& [base, length] = *std::prev(next);
  return address - base < length && size <= length - (address - base);
}

uint64_t RemoteDriver::mapped_size(uint64_t address) const {
  std::lock_guard lock(mutex_);
  const auto found = mapped_.find(address);
  return found == mapped_.end() ? 0 : found->second;
}

/// The connection ends itself in the child.
void RemoteDriver::forget_parent() noexcept {
  in_child_ = true;
  abandon(mutex_);
  abandon(start_mutex_);
  abandon(windows_mutex);
  files_.forget_parent();
  bounce_.forget_parent();
}

}  // namespace heddle::cuda::remote
