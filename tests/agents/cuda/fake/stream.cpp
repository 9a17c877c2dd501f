// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, copies and writes of values.
#include "stream.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

namespace heddle::cuda::fake {

Work::Work() : thread_([this] { run(); }) {}

Work::~Work() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

uint64_t Work::add(std::function<void()> what) {
  std::lock_guard lock(mutex_);
  left_.push_back(std::move(what));
  changed_.notify_all();
  return ++added_;
}

uint64_t Work::last() {
  std::lock_guard lock(mutex_);
  return added_;
}

bool Work::is_done(uint64_t number) {
  std::lock_guard lock(mutex_);
  return done_ >= number;
}

void Work::wait_for(uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Work::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !left_.empty(); });
    if (left_.empty()) return;
    const std::function<void()> next = std::move(left_.front());
    left_.pop_front();
    lock.unlock();
    // After a fault nothing that was queued behind it happens.
    if (sticky() == Status::success) next();
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

namespace {

struct Streams {
  std::mutex mutex;
  std::set<StreamObject*> live;
};
Streams& streams() {
  static Streams& made = *new Streams;
  return made;
}

/// The stream itself; null stands for the default one.
StreamObject& stream_of(Stream stream) {
  static StreamObject& made = *new StreamObject;
  return stream ? *stream : made;
}

Status copy(void* to, const void* from, size_t size, Stream stream) {
  if (const Status status = control().status_before("cuMemcpy"); status != Status::success) return status;
  StreamObject& in = stream_of(stream);
  const Access ends[] = {access_of(in.device, reinterpret_cast<DeviceAddress>(to), size),
                         access_of(in.device, reinterpret_cast<DeviceAddress>(from), size)};
  if (std::ranges::find(ends, Access::none) != std::end(ends)) {
    control().complain("a copy has an end that its GPU may not access");
    return Status::invalid_value;
  }
  ++control().copies;
  if (std::ranges::find(ends, Access::peer) != std::end(ends)) ++control().peer_copies;
  in.work.add([=] {
    while (control().copies_wait) std::this_thread::yield();
    std::memmove(to, from, size);
  });
  return state_of_context();
}
void* pointer(DeviceAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace
}  // namespace heddle::cuda::fake

using namespace heddle::cuda;
using namespace heddle::cuda::fake;

HEDDLE_FAKE Status cuStreamCreateWithPriority(Stream* out, unsigned, int) {
  *out = new StreamObject;
  std::lock_guard lock(streams().mutex);
  streams().live.insert(*out);
  return state_of_context();
}
HEDDLE_FAKE Status cuStreamDestroy_v2(Stream stream) {
  {
    std::lock_guard lock(streams().mutex);
    if (streams().live.erase(stream) == 0) return Status::invalid_value;
  }
  delete stream;
  return state_of_context();
}
HEDDLE_FAKE Status cuStreamQuery(Stream stream) {
  if (control().query_ends_wait) control().copies_wait = false;
  if (const Status status = control().query_status; status != Status::success) return status;
  const bool is_done = stream->work.is_done(stream->work.last());  // first, because a kernel may fault now
  if (sticky() != Status::success) return sticky();
  return is_done ? Status::success : Status::not_ready;
}
HEDDLE_FAKE Status cuStreamSynchronize(Stream stream) {
  ++control().synchronizations;
  Work& work = stream_of(stream).work;
  work.wait_for(work.last());
  return state_of_context();
}
HEDDLE_FAKE Status cuCtxSynchronize() {
  std::lock_guard lock(streams().mutex);
  for (StreamObject* stream : streams().live) stream->work.wait_for(stream->work.last());
  return state_of_context();
}
HEDDLE_FAKE Status cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  std::lock_guard lock(event->mutex);
  if (event->stream)
    stream->work.add([on = event->stream, number = event->number] { on->work.wait_for(number); });
  return state_of_context();
}
HEDDLE_FAKE Status cuStreamWriteValue64_v2(Stream stream, DeviceAddress address, uint64_t value, unsigned) {
  if (const Status status = control().status_before("cuStreamWriteValue64_v2"); status != Status::success)
    return status;
  stream->work.add(
      [=] { __atomic_store_n(static_cast<uint64_t*>(pointer(address)), value, __ATOMIC_RELEASE); });
  return state_of_context();
}

HEDDLE_FAKE Status cuEventCreate(Event* out, unsigned) {
  *out = new EventObject;
  return state_of_context();
}
HEDDLE_FAKE Status cuEventRecord(Event event, Stream stream) {
  std::lock_guard lock(event->mutex);
  event->stream = stream;
  event->number = stream->work.last();
  return state_of_context();
}
HEDDLE_FAKE Status cuEventQuery(Event event) {
  std::lock_guard lock(event->mutex);
  const bool is_done = !event->stream || event->stream->work.is_done(event->number);
  if (sticky() != Status::success) return sticky();
  return is_done ? Status::success : Status::not_ready;
}
HEDDLE_FAKE Status cuEventSynchronize(Event event) {
  StreamObject* stream;
  uint64_t number;
  {
    std::lock_guard lock(event->mutex);
    stream = event->stream;
    number = event->number;
  }
  if (stream) stream->work.wait_for(number);
  return state_of_context();
}
HEDDLE_FAKE Status cuEventDestroy_v2(Event event) {
  delete event;
  return state_of_context();
}

HEDDLE_FAKE Status cuMemcpyAsync(DeviceAddress to, DeviceAddress from, size_t size, Stream stream) {
  return copy(pointer(to), pointer(from), size, stream);
}
HEDDLE_FAKE Status cuMemcpyHtoDAsync_v2(DeviceAddress to, const void* from, size_t size, Stream stream) {
  return copy(pointer(to), from, size, stream);
}
HEDDLE_FAKE Status cuMemcpyDtoHAsync_v2(void* to, DeviceAddress from, size_t size, Stream stream) {
  return copy(to, pointer(from), size, stream);
}
HEDDLE_FAKE Status cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from, size_t size, Stream stream) {
  return copy(pointer(to), pointer(from), size, stream);
}
HEDDLE_FAKE Status cuMemsetD8Async(DeviceAddress to, unsigned char value, size_t size, Stream stream) {
  stream->work.add([=] { std::memset(pointer(to), value, size); });
  return state_of_context();
}
