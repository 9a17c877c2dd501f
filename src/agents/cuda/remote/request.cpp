// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/request.h"

namespace heddle::cuda::remote {
namespace {

constexpr uint64_t address_bits = (uint64_t{1} << generation_shift) - 1;

}  // namespace

Request::Request(RemoteDriver& driver, FunctionId function)
    : function_(function), connection_(driver.connection()) {
  problem_ = connection_ ? connection_->lost() : Status::not_initialized;
}

/// Handles of another process are as lost as that.
void Request::expect(const Connection& owner) {
  if (&owner == connection_.get() || problem_ != Status::success) return;
  problem_ = owner.lost() == Status::success ? Status::process_lost : owner.lost();
}

/// Handles of a driver in this process.
void Request::refuse() {
  if (problem_ == Status::success) problem_ = Status::process_lost;
}

void Request::put_stream(Stream stream) {
  if (!stream) return writer_.put(stream);
  RemoteStream* const remote = remote_of(stream);
  if (!remote) return refuse();
  expect(*remote->connection);
  channel_ = remote->channel;
  writer_.put(remote->real);
}

void Request::put_graph(GraphExec graph) {
  RemoteGraph* const remote = remote_of(graph);
  if (!remote) return refuse();
  expect(*remote->connection);
  writer_.put(remote->real);
}

void Request::put_handle(uint64_t bits) {
  if (bits != 0 && problem_ == Status::success && bits >> generation_shift != connection_->generation())
    refuse();
  writer_.put(bits & address_bits);
}

void Request::put_kernel(const KernelNode& kernel) {
  put(kernel.function);
  for (const unsigned blocks : kernel.grid) put(blocks);
  for (const unsigned threads : kernel.block) put(threads);
  put(kernel.shared_size);
  for (int i = 0; i < 2; ++i) put_bytes(kernel.arguments[i], kernel.argument_sizes[i]);
}

Status Request::call_on(Channel& channel, const std::function<void(Reader&)>& take) {
  if (problem_ != Status::success) return problem_;
  if (is_too_large()) return Status::invalid_value;
  const auto status = channel.call(static_cast<uint16_t>(function_), writer_.bytes(), take);
  if (!status) {
    connection_->lose(Status::process_lost);
    return connection_->lost();
  }
  if (is_sticky(*status)) connection_->lose(*status);
  return *status;
}

Status Request::call(const std::function<void(Reader&)>& take) {
  if (problem_ != Status::success) return problem_;
  if (channel_) return call_on(*channel_, take);
  Channel* const channel = connection_->take_channel();
  if (!channel) return connection_->lost() == Status::success ? Status::out_of_memory : connection_->lost();
  const Status status = call_on(*channel, take);
  connection_->give_back(channel);
  return status;
}

Status Request::post() {
  if (problem_ != Status::success) return problem_;
  assert(channel_);
  if (is_too_large()) return Status::invalid_value;
  if (channel_->post(static_cast<uint16_t>(function_), writer_.bytes())) return Status::success;
  connection_->lose(Status::process_lost);
  return connection_->lost();
}

}  // namespace heddle::cuda::remote
