// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hip/core/activity.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

thread_local int copies_in_turn = 0;

/// Returns whether the host has to wait, so that the program may use its own memory again.
Waiting moment_of(Waiting waiting, bool at_once) {
  return at_once && copies_in_turn == 0 ? Waiting::yes : waiting;
}

/// Returns what tools call a copy of bytes, or of rows.
ActivityKind kind_of(const std::optional<Allocation>& to, const std::optional<Allocation>& from, bool rows) {
  const bool to_host = !to || to->on_host(), from_host = !from || from->on_host();
  if (to_host && !from_host) return rows ? ActivityKind::rows_device_to_host : ActivityKind::device_to_host;
  if (from_host && !to_host) return rows ? ActivityKind::rows_host_to_device : ActivityKind::host_to_device;
  return rows ? ActivityKind::rows_device_to_device : ActivityKind::device_to_device;
}

/// Copies now, on this thread.
void move_bytes(void* to, const void* from, size_t size, bool by_host) {
  if (by_host)
    std::memmove(to, from, size);
  else
    check(hsa_memory_copy(to, from, size), "hsa_memory_copy", hipErrorInvalidValue);
}

void move_block(const Block& to, const Block& from, const BlockSize& size, bool by_host) {
  for (size_t z = 0; z < size.depth; ++z)
    for (size_t y = 0; y < size.height; ++y)
      move_bytes(to.address + z * to.slice + y * to.pitch, from.address + z * from.slice + y * from.pitch,
                 size.width, by_host);
}

/// What happens to memory.
enum class Use : bool { read, write };

void check_access(const Allocation& allocation, Use use) {
  if (use == Use::read ? allocation.readable : allocation.writable) return;
  throw Failure(hipErrorInvalidValue, "no device has such access to the memory (hipMemSetAccess)");
}

/// Returns the mapping that begins where another ends: to the program both are one range.
std::optional<Allocation> next_mapping(const Allocation& mapping) {
  if (mapping.kind != MemoryKind::mapped) return std::nullopt;
  const std::byte* const end = mapping.base + mapping.size;
  auto next = Runtime::get().memory().find(end);
  return next && next->kind == MemoryKind::mapped && next->base == end ? next : std::nullopt;
}

/// Returns the allocation in which bytes begin, nullopt for the program's own memory. Throws Failure
/// (InvalidValue) if they do not lie in it, or in mappings beside each other, entirely.
std::optional<Allocation> checked_allocation(const void* address, size_t size, Use use) {
  if (address == nullptr) throw Failure(hipErrorInvalidValue);
  const auto first = Runtime::get().memory().find(address);
  if (!first) return first;
  size_t available = first->size - static_cast<size_t>(static_cast<const std::byte*>(address) - first->base);
  auto last = first;
  if (size != 0) check_access(*first, use);
  while (size > available) {
    size -= available;
    last = next_mapping(*last);
    if (!last) throw Failure(hipErrorInvalidValue, "a copy or fill reaches beyond the end of its memory");
    check_access(*last, use);
    available = last->size;
  }
  return first;
}

void check_range(const void* address, size_t size, Use use) { checked_allocation(address, size, use); }

void check_kind(hipMemcpyKind kind) {
  if ((kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) && kind != hipMemcpyDeviceToDeviceNoCU)
    throw Failure(hipErrorInvalidMemcpyDirection);
}

bool host_reaches(const std::optional<Allocation>& allocation) {
  if (!allocation || allocation->on_host()) return true;
  if (allocation->kind == MemoryKind::mapped || allocation->kind == MemoryKind::graph) return true;
  return Runtime::get().devices()[static_cast<size_t>(allocation->device)]->properties().host_reaches_memory;
}

/// Throws Failure (InvalidValue) for memory of a graph that is not allocated. Nodes may name such memory, but
/// nothing may happen to it.
void check_present(const std::optional<Allocation>& allocation) {
  if (allocation && allocation->absent)
    throw Failure(hipErrorInvalidValue, "the graph has not allocated this memory, or it was freed");
}

/// Returns the bytes from the first of a block to its last. Throws Failure (InvalidValue) if there are more
/// than addresses.
size_t extent_of(const Block& block, const BlockSize& size) {
  size_t slices = 0, rows = 0, extent = 0;
  if (__builtin_mul_overflow(size.depth - 1, block.slice, &slices) ||
      __builtin_mul_overflow(size.height - 1, block.pitch, &rows) ||
      __builtin_add_overflow(slices, rows, &extent) || __builtin_add_overflow(extent, size.width, &extent))
    throw Failure(hipErrorInvalidValue, "a copy or fill has more bytes than there are addresses");
  return extent;
}

/// Whether both ends of a copy are memory of the host. The host waits for such copies, as HIP promises.
bool is_within_host(const std::optional<Allocation>& to, const std::optional<Allocation>& from) {
  const auto of_host = [](const std::optional<Allocation>& allocation) {
    return !allocation || (allocation->on_host() && allocation->kind != MemoryKind::managed);
  };
  return of_host(to) && of_host(from);
}

bool is_contiguous(const Block& block, const BlockSize& size) {
  return (size.height == 1 || block.pitch == size.width) &&
         (size.depth == 1 || block.slice == size.height * size.width);
}

/// Writes elements, of which each begins at a multiple of its size within the row.
void write_pattern(std::byte* to, size_t size, Pattern pattern) {
  if (pattern.element_size == 1) {
    std::memset(to, static_cast<int>(pattern.value & 0xFF), size);
    return;
  }
  const auto* const element = reinterpret_cast<const std::byte*>(&pattern.value);
  const size_t first = std::min(size, pattern.element_size);
  std::copy_n(element, first, to);
  // The filled part is copied behind itself: it doubles each time.
  for (size_t filled = first; filled < size;) {
    const size_t step = std::min(filled, size - filled);
    std::memcpy(to + filled, to, step);
    filled += step;
  }
}

/// Fills memory that the host does not reach.
void fill_on_device(std::byte* to, size_t size, Pattern pattern) {
  std::vector<std::byte> row(size);
  write_pattern(row.data(), size, pattern);
  check(hsa_memory_copy(to, row.data(), size), "hsa_memory_copy", hipErrorInvalidValue);
}

void fill_now(const Block& to, const BlockSize& size, Pattern pattern, bool by_host) {
  for (size_t z = 0; z < size.depth; ++z)
    for (size_t y = 0; y < size.height; ++y) {
      std::byte* const row = to.address + z * to.slice + y * to.pitch;
      if (by_host)
        write_pattern(row, size.width, pattern);
      else
        fill_on_device(row, size.width, pattern);
    }
}

/// Runs a function in the order of the stream; what it throws there, where nobody waits, goes to the log.
template <typename Work>
void in_order(Stream& stream, Waiting waiting, Work work) {
  if (waiting == Waiting::yes) {
    stream.take_turn();
    work();
    return;
  }
  stream.run(
      [work] {
        try {
          work();
        } catch (const std::exception& error) {
          log(LogLevel::error, log_copy, error.what());
        }
      },
      Stream::AtOnce::yes);
}

}  // namespace

void check_copy(const void* to, const void* from, size_t size, hipMemcpyKind kind) {
  check_kind(kind);
  check_range(to, size, Use::write);
  check_range(from, size, Use::read);
}

bool host_reaches(const void* address) { return host_reaches(Runtime::get().memory().find(address)); }

CopyInTurn::CopyInTurn() { ++copies_in_turn; }
CopyInTurn::~CopyInTurn() { --copies_in_turn; }

void copy(void* to, const void* from, size_t size, hipMemcpyKind kind, Stream& stream, Waiting waiting) {
  if (size == 0) return;
  check_kind(kind);
  const auto target = checked_allocation(to, size, Use::write);
  const auto source = checked_allocation(from, size, Use::read);
  if (record_copy(to, from, size, kind, stream, waiting)) return;
  check_present(target);
  check_present(source);
  if (to == from) return;
  const bool at_once = !target || !source || is_within_host(target, source);
  log_lazily(LogLevel::debug, log_copy, [&] {
    return fmt::format("copies {} bytes from {} to {}", size, fmt::ptr(from), fmt::ptr(to));
  });
  log_lazily(LogLevel::debug, log_copy_detail, [&] {
    return fmt::format("copy of kind {}, {}, {}", static_cast<int>(kind),
                       !target || !source ? "pageable" : "known memory",
                       waiting == Waiting::yes ? "the host waits" : "in the stream");
  });
  const Serialized serialized(stream, environment.serialize_copy);
  const Activity activity(stream, kind_of(target, source, false), size);
  if (waiting == Waiting::no && !at_once) {
    stream.copy(to, from, size);
    return;
  }
  const bool by_host = host_reaches(target) && host_reaches(source);
  in_order(stream, moment_of(waiting, at_once), [=] { move_bytes(to, from, size, by_host); });
}

void check_block(const Block& to, const Block& from, const BlockSize& size, hipMemcpyKind kind) {
  if (size.height > 1 && (to.pitch < size.width || from.pitch < size.width))
    throw Failure(hipErrorInvalidPitchValue);
  check_copy(to.address, from.address, 0, kind);
  check_range(to.address, extent_of(to, size), Use::write);
  check_range(from.address, extent_of(from, size), Use::read);
}

void copy_block(const Block& to, const Block& from, const BlockSize& size, hipMemcpyKind kind, Stream& stream,
                Waiting waiting) {
  if (size.empty()) return;
  check_block(to, from, size, kind);
  if (is_contiguous(to, size) && is_contiguous(from, size)) {
    copy(to.address, from.address, size.bytes(), kind, stream, waiting);
    return;
  }
  if (record_copy(to, from, size, kind, stream, waiting)) return;
  const auto target = Runtime::get().memory().find(to.address);
  const auto source = Runtime::get().memory().find(from.address);
  check_present(target);
  check_present(source);
  const bool by_host = host_reaches(target) && host_reaches(source);
  const bool at_once = !target || !source || is_within_host(target, source);
  const Serialized serialized(stream, environment.serialize_copy);
  const Activity activity(stream, kind_of(target, source, true), size.bytes());
  in_order(stream, moment_of(waiting, at_once), [=] { move_block(to, from, size, by_host); });
}

void check_fill(const Block& to, const BlockSize& size) {
  if (size.height > 1 && to.pitch < size.width)
    throw Failure(hipErrorInvalidValue, "the pitch is less than the width of the fill");
  if (!checked_allocation(to.address, extent_of(to, size), Use::write))
    throw Failure(hipErrorInvalidValue, "only memory that HIP knows can be filled");
}

void fill_block(const Block& to, const BlockSize& size, Pattern pattern, Stream& stream, Waiting waiting) {
  if (size.empty()) return;
  check_fill(to, size);
  if (record_fill(to, size, pattern, stream, waiting)) return;
  const auto target = Runtime::get().memory().find(to.address);
  check_present(target);
  const bool by_host = host_reaches(target);
  const Serialized serialized(stream, environment.serialize_copy);
  const Activity activity(stream, ActivityKind::fill, size.bytes());
  in_order(stream, waiting, [=] { fill_now(to, size, pattern, by_host); });
}

}  // namespace heddle::hip
