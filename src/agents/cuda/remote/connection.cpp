// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/connection.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agents/cuda/remote/socket.h"

namespace heddle::cuda::remote {

std::span<const Status> sticky_errors() {
  using enum Status;
  static constexpr Status all[] = {
      ecc_uncorrectable,    nvlink_uncorrectable, illegal_address,    launch_timeout,        assertion,
      hardware_stack_error, illegal_instruction,  misaligned_address, invalid_address_space, invalid_pc,
      launch_failed};
  return all;
}

bool is_sticky(Status status) { return std::ranges::find(sticky_errors(), status) != sticky_errors().end(); }

Connection::Connection(Process process, uint16_t generation)
    : generation_(generation), process_(std::move(process)) {}

Result<std::shared_ptr<Connection>, Error> Connection::open(const ProcessOptions& options,
                                                            uint16_t generation) {
  auto process = start_process(options);
  if (!process) return process.error();
  return std::shared_ptr<Connection>(new Connection(std::move(*process), generation));
}

Connection::~Connection() { lose(Status::not_initialized); }

void Connection::lose(Status why) noexcept {
  Status expected = Status::success;
  if (!lost_.compare_exchange_strong(expected, why, std::memory_order_acq_rel)) return;
  process_.end();
}

bool Connection::look_after() noexcept {
  if (lost() != Status::success) return false;
  if (!is_hung_up(process_.socket.number())) return true;
  lose(Status::process_lost);
  return false;
}

Status Connection::control(std::span<const std::byte> request, int file) {
  if (lost() != Status::success) return lost();
  std::lock_guard lock(control_mutex_);
  std::optional<Received> answer;
  if (send_message(process_.socket.number(), request, file))
    answer = receive_message(process_.socket.number(), -1);
  if (!answer) {
    lose(Status::process_lost);
    return lost();
  }
  const auto status = Reader(answer->bytes).take<Status>();
  if (is_sticky(status)) lose(status);
  return status;
}

/// Makes a channel, and has a thread of the process serve it. Needs mutex_.
Channel* Connection::add_channel() {
  channels_.reserve(channels_.size() + 1);
  idle_.reserve(channels_.size() + 1);
  auto made = Channel::create([this] { return look_after(); });
  if (!made) return nullptr;
  Writer request;
  request.put(Control::channel);
  if (control(request.bytes(), made->file()) != Status::success) return nullptr;
  made->close_file();
  return channels_.emplace_back(std::move(made)).get();
}

Channel* Connection::take_channel() {
  if (lost() != Status::success) return nullptr;
  std::lock_guard lock(mutex_);
  if (idle_.empty()) return add_channel();
  Channel* const taken = idle_.back();
  idle_.pop_back();
  return taken;
}

void Connection::give_back(Channel* channel) noexcept {
  if (lost() != Status::success) return;
  std::lock_guard lock(mutex_);
  idle_.push_back(channel);
}

/// The parent's process is none of the child's business.
void Connection::forget_parent() noexcept {
  lost_ = Status::not_initialized;
  (void)process_.socket.reset();
  (void)process_.handle.reset();
}

}  // namespace heddle::cuda::remote
