// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of the device, memory of the host and copies. The process has host memory at the same addresses
// where it has been registered; all other memory is copied by way of buffers that both have.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "agents/cuda/remote/more_stubs.h"
#include "agents/cuda/remote/stub_parts.h"

namespace heddle::cuda::remote {
namespace {

uint64_t number(const void* address) { return reinterpret_cast<uint64_t>(address); }

// ---- windows of addresses

/// Reserves addresses in this process, where it can at those that are wanted; 0 if there are none.
uint64_t reserve_here(uint64_t wanted, size_t size) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* base = MAP_FAILED;
  if (wanted != 0)
    base = mmap(reinterpret_cast<void*>(wanted), size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (base == MAP_FAILED) base = mmap(nullptr, size, PROT_NONE, flags, -1, 0);
  return base == MAP_FAILED ? 0 : number(base);
}

Status unreserve_there(RemoteDriver& driver, DeviceAddress base, size_t size) {
  Request request(driver, FunctionId::memory_unreserve);
  request.put(base);
  request.put(size);
  return request.call(take_nothing);
}

/// Reserves exactly these addresses in the process.
Status reserve_there(RemoteDriver& driver, DeviceAddress base, size_t size, size_t alignment) {
  DeviceAddress given = 0;
  Request request(driver, FunctionId::memory_reserve);
  request.put(size);
  request.put(alignment);
  request.put(base);
  request.put(0ull);
  const Status status = request.call([&](Reader& answer) { given = answer.take<DeviceAddress>(); });
  if (status != Status::success || given == base) return status;
  static_cast<void>(unreserve_there(driver, given, size));
  return Status::out_of_memory;
}

/// Nothing here may ever lie at the addresses of the device, so they are reserved here as well, and stay
/// reserved when the process is lost.
Status memory_reserve(void* target, DeviceAddress* out, size_t size, size_t alignment, DeviceAddress wanted,
                      unsigned long long) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    std::lock_guard lock(driver.windows_mutex);
    const auto found = driver.windows.find(wanted);
    const bool again = found != driver.windows.end() && found->second == size;
    const uint64_t base = again ? wanted : reserve_here(wanted, size);
    if (base == 0) return Status::out_of_memory;
    const Status status = reserve_there(driver, base, size, alignment);
    if (status == Status::success)
      driver.windows[base] = size;
    else if (!again)
      munmap(reinterpret_cast<void*>(base), size);
    *out = base;
    return status;
  });
}

Status memory_unreserve(void* target, DeviceAddress base, size_t size) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    std::lock_guard lock(driver.windows_mutex);
    const Status status = unreserve_there(driver, base, size);
    if (driver.windows.erase(base) != 0) munmap(reinterpret_cast<void*>(base), size);
    return status;
  });
}

// ---- memory of the host

Status host_register(void* target, void* base, size_t size, unsigned) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    const auto place = driver.files().find(number(base), size);
    if (!place) return Status::not_supported;
    const auto connection = driver.connection();
    if (!connection) return Status::not_initialized;
    Writer request;
    request.put(Control::map);
    request.put(MapRequest{number(base), size, place->offset});
    const Status status = connection->control(request.bytes(), place->file);
    if (status == Status::success) driver.note_mapped(number(base), size);
    return status;
  });
}

Status host_unregister(void* target, void* base) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    const auto connection = driver.connection();
    const uint64_t size = driver.mapped_size(number(base));
    if (!connection) return Status::not_initialized;
    if (size == 0) return Status::host_memory_not_registered;
    Writer request;
    request.put(Control::unmap);
    request.put(number(base));
    request.put(size);
    const Status status = connection->control(request.bytes(), -1);
    if (status == Status::success) driver.forget_mapped(number(base));
    return status;
  });
}

// ---- copies

/// A copy between the device and host memory that the process has, one way or the other.
Status copy_directly(RemoteDriver& driver, FunctionId function, DeviceAddress to, DeviceAddress from,
                     size_t size, Stream stream) {
  Request request(driver, function);
  request.put(to);
  request.put(from);
  request.put(size);
  request.put(stream);
  return request.call(take_nothing);
}

Status finish(RemoteDriver& driver, Stream stream) {
  Request request(driver, FunctionId::stream_synchronize);
  request.put(stream);
  return request.call(take_nothing);
}

/// Calls `copy(buffer, offset, size)` for one piece after the other, until one fails.
template <typename Copy>
Status in_pieces(RemoteDriver& driver, size_t size, Copy copy) {
  BounceBuffers::Lease buffer(driver.bounce(), driver.bounce().take());
  const auto connection = driver.connection();
  if (!connection) return Status::not_initialized;
  Status status = buffer.map(*connection);
  for (size_t done = 0; done < size && status == Status::success; done += BounceBuffers::size)
    status = copy(buffer.base(), done, std::min(size - done, BounceBuffers::size));
  return status;
}

Status copy_to_device(void* target, DeviceAddress to, const void* from, size_t size, Stream stream) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    constexpr auto function = FunctionId::copy_to_device;
    if (driver.is_mapped(number(from), size))
      return copy_directly(driver, function, to, number(from), size, stream);
    return in_pieces(driver, size, [&](void* buffer, size_t offset, size_t piece) {
      std::memcpy(buffer, static_cast<const std::byte*>(from) + offset, piece);
      const Status status = copy_directly(driver, function, to + offset, number(buffer), piece, stream);
      return status == Status::success ? finish(driver, stream) : status;
    });
  });
}

Status copy_to_host(void* target, void* to, DeviceAddress from, size_t size, Stream stream) {
  return guarded([&] {
    RemoteDriver& driver = driver_of(target);
    constexpr auto function = FunctionId::copy_to_host;
    if (driver.is_mapped(number(to), size))
      return copy_directly(driver, function, number(to), from, size, stream);
    return in_pieces(driver, size, [&](void* buffer, size_t offset, size_t piece) {
      Status status = copy_directly(driver, function, number(buffer), from + offset, piece, stream);
      if (status == Status::success) status = finish(driver, stream);
      if (status == Status::success) std::memcpy(static_cast<std::byte*>(to) + offset, buffer, piece);
      return status;
    });
  });
}

/// Between memory of the host and memory of the host: no GPU is needed for that.
Status copy(void* target, DeviceAddress to, DeviceAddress from, size_t size, Stream stream) {
  return guarded([&] {
    const Status status = finish(driver_of(target), stream);
    if (status == Status::success)
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), size);
    return status;
  });
}

}  // namespace

void set_memory_functions(DriverApi& api) {
  api.memory_reserve.invoke = memory_reserve;
  api.memory_unreserve.invoke = memory_unreserve;
  api.host_register.invoke = host_register;
  api.host_unregister.invoke = host_unregister;
  api.copy_to_device.invoke = copy_to_device;
  api.copy_to_host.invoke = copy_to_host;
  api.copy.invoke = copy;
}

}  // namespace heddle::cuda::remote
