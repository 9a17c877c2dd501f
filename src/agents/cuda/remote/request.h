// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/cuda/remote/remote_driver.h"
#include "agents/cuda/remote/wire.h"

namespace heddle::cuda::remote {

/// What a handle of a stream points to here. Everything that is done in a stream goes through its channel, so
/// that it is done in the order in which it was asked for.
struct RemoteStream {
  std::shared_ptr<Connection> connection;
  Channel* channel;
  Stream real;
};

/// What a handle of an instantiated graph points to here: together with the kernels that have been set
/// for the next launch, which are sent with it.
struct RemoteGraph {
  std::shared_ptr<Connection> connection;
  GraphExec real;
  std::vector<Writer> kernels;  ///< that have been set for the next launch
};

/// These handles are odd, so that those of a driver in this process, which are addresses of its own, are none
/// of them: remote_of() is null then.
template <typename Handle, typename Remote>
Handle handle_of(std::unique_ptr<Remote> remote) {
  return reinterpret_cast<Handle>(reinterpret_cast<uintptr_t>(remote.release()) | 1);
}
template <typename Remote, typename Handle>
Remote* remote_behind(Handle handle) {
  const auto bits = reinterpret_cast<uintptr_t>(handle);
  return reinterpret_cast<Remote*>(bits & 1 ? bits - 1 : 0);
}
inline RemoteStream* remote_of(Stream stream) { return remote_behind<RemoteStream>(stream); }
inline RemoteGraph* remote_of(GraphExec graph) { return remote_behind<RemoteGraph>(graph); }

/// All other handles are those of the process, with its generation in the bits that addresses do not have.
inline constexpr unsigned generation_shift = 48;
template <typename Handle>
Handle with_generation(Handle handle, uint16_t generation) {
  const auto bits = reinterpret_cast<uint64_t>(handle);
  return reinterpret_cast<Handle>(bits == 0 ? 0 : bits | uint64_t{generation} << generation_shift);
}

/// A call of one function of the driver on its way to the process.
class Request {
 public:
  Request(RemoteDriver& driver, FunctionId function);

  /// Adds a parameter. The process may be another one than that which has given a handle; then the call does
  /// not take place.
  template <typename T>
  void put(T value) {
    if constexpr (std::is_same_v<T, Stream>)
      put_stream(value);
    else if constexpr (std::is_same_v<T, GraphExec>)
      put_graph(value);
    else if constexpr (is_handle<T>)
      put_handle(reinterpret_cast<uint64_t>(value));
    else if constexpr (is_number<T>)
      writer_.put(value);
    else if constexpr (is_structure<T>)
      writer_.put(*value);
    else if constexpr (is_name<T>)
      writer_.put_text(value);
  }
  void put_bytes(const void* data, size_t size) { writer_.put_bytes(data, size); }
  /// Adds what has been written before.
  void put_written(const Writer& written) {
    writer_.put_bytes(written.bytes().data(), written.bytes().size());
  }
  /// Adds a kernel and its arguments.
  void put_kernel(const KernelNode& kernel);

  /// Stores a result of the answer where the function is to store it. Does nothing for other parameters.
  template <typename T>
  void store(Reader& answer, T to) const {
    if constexpr (is_result<T>) {
      using Stored = std::remove_pointer_t<T>;
      const auto value = answer.take<Stored>();
      if constexpr (is_handle<Stored>)
        *to = with_generation(value, connection_->generation());
      else
        *to = value;
    }
  }

  /// Makes the call, and calls `take` with what the process has answered.
  Status call(const std::function<void(Reader&)>& take);
  /// The same on a channel. Invalid value if no channel can take so much.
  Status call_on(Channel& channel, const std::function<void(Reader&)>& take);
  /// Lets the process make the call at some time, behind all that was posted to the stream before.
  Status post();

  const std::shared_ptr<Connection>& connection() const { return connection_; }
  /// Why the call cannot take place; success if it can.
  Status problem() const { return problem_; }
  Writer& writer() { return writer_; }

 private:
  /// Parameters of calls that the driver would accept always fit into a channel.
  bool is_too_large() const { return writer_.bytes().size() > Channel::largest_request; }
  void put_stream(Stream stream);
  void put_graph(GraphExec graph);
  void put_handle(uint64_t bits);
  void expect(const Connection& owner);
  void refuse();

  const FunctionId function_;
  const std::shared_ptr<Connection> connection_;
  Channel* channel_ = nullptr;  ///< of the stream among the parameters
  Status problem_ = Status::success;
  Writer writer_;
};

}  // namespace heddle::cuda::remote
