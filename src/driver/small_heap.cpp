// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/small_heap.h"

#include <sys/mman.h>

#include <algorithm>

#include "driver/log.h"
#include "support/exception_safety.h"

namespace heddle::driver {
namespace {

// Only addresses are reserved. The number is halved until the system grants the reservation.
constexpr size_t most_slabs = size_t{1} << 16;  // 16 GiB
constexpr size_t least_slabs = 64;

/// Keeps the system from giving out addresses at which nothing is, so that they never mean anything else than
/// they did. A hint: without it the system could, where it has no addresses apart.
void keep_unused(std::byte* base, size_t size) noexcept {
  void* made =
      mmap(base, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (made != MAP_FAILED && made != base) munmap(made, size);  // a system that does not know the last flag
}

}  // namespace

constinit std::atomic<SlabArena*> SlabArena::in_file_{nullptr};
constinit std::mutex SlabArena::making_;
constinit bool SlabArena::is_refused_ = false;

SlabArena& SlabArena::instance() {
  static SlabArena& arena = *new SlabArena(Kind::anonymous);
  return arena;
}

SlabArena* SlabArena::get(Kind kind) { return kind == Kind::anonymous ? &instance() : get_in_file(); }

/// The system is asked once only, because small allocations are frequent, and asking takes long.
SlabArena* SlabArena::get_in_file() {
  if (SlabArena* made = in_file_.load(std::memory_order_acquire)) return made;
  std::lock_guard lock(making_);
  if (SlabArena* made = in_file_.load(std::memory_order_relaxed)) return made;
  if (is_refused_) return nullptr;
  std::unique_ptr<SlabArena> made(new SlabArena(Kind::in_file));
  is_refused_ = made->count_ == 0;
  if (is_refused_) {
    log_warning("small allocations share no pages of a file, because the system refuses one for all of them");
    return nullptr;
  }
  in_file_.store(made.get(), std::memory_order_release);
  return made.release();
}

SlabArena::SlabArena(Kind kind) {
  for (size_t count = most_slabs; count >= least_slabs; count /= 2) {
    table_ = Mapping::create(count * sizeof(std::atomic<Slab*>));
    if (!table_ || !reserve(kind, count * slab_size)) continue;
    count_ = count;
    return;
  }
}

/// Neither kind takes memory for slabs that nobody has touched.
bool SlabArena::reserve(Kind kind, size_t size) {
  if (kind == Kind::anonymous) {
    anonymous_ = Mapping::create(size, slab_size);
    base_ = anonymous_.base();
    return base_ != nullptr;
  }
  // The name differs from that of files in which other processes find allocations (driver/shared_exports.h).
  file_.set(create_memory_file("heddle-slabs", size));
  if (!file_) return false;
  shared_ = SharedMapping::create(file_.number(), 0, size, slab_size, Where::apart);
  base_ = shared_.base();
  if (base_ != nullptr) set_dumped(base_, size, false);
  return base_ != nullptr;
}

/// Says whether a core dump contains a part of the arena. Of a file, the system dumps all that is mapped, and
/// commits what nobody has touched in order to read it, so that a dump would take as much memory and room as
/// the whole arena. Anonymous memory that nobody has touched is left out anyway.
void SlabArena::set_dumped(std::byte* base, size_t size, bool is_dumped) const noexcept {
  if (shared_) madvise(base, size, is_dumped ? MADV_DODUMP : MADV_DONTDUMP);
}

SlabArena::Slab* SlabArena::create(SmallHeap& heap, uint32_t block_size) {
  auto slab = std::make_unique<Slab>(Slab{&heap, this, block_size, nullptr, {}, {}, false});
  uint32_t blocks = static_cast<uint32_t>(slab_size / block_size);
  slab->sizes.resize(blocks);
  slab->free.reserve(blocks);
  for (uint32_t i = blocks; i-- > 0;) slab->free.push_back(static_cast<uint16_t>(i));
  std::lock_guard lock(mutex_);
  size_t index;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else if (used_ < count_) {
    free_.reserve(used_ + 1);  // so that destroy() needs no memory
    index = used_++;
  } else {
    return nullptr;
  }
  slab->base = base_ + index * slab_size;
  set_dumped(slab->base, slab_size, true);
  entry(index).store(slab.get(), std::memory_order_release);
  return slab.release();
}

void SlabArena::destroy(Slab* slab) {
  std::lock_guard lock(mutex_);
  size_t index = static_cast<size_t>(slab->base - base_) / slab_size;
  entry(index).store(nullptr, std::memory_order_release);
  set_dumped(slab->base, slab_size, false);
  free_.push_back(index);
}

SlabArena::Slab* SlabArena::slab_at(const void* address) const {
  uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(base_);
  size_t index = offset / slab_size;
  return index < count_ ? entry(index).load(std::memory_order_acquire) : nullptr;
}

SlabArena::Slab* SlabArena::find(const void* address) {
  if (Slab* slab = instance().slab_at(address)) return slab;
  const SlabArena* arena = in_file_.load(std::memory_order_acquire);
  return arena != nullptr ? arena->slab_at(address) : nullptr;
}

std::optional<SharedPlace> SlabArena::place_of(const void* address) {
  const SlabArena* arena = in_file_.load(std::memory_order_acquire);
  if (arena == nullptr) return std::nullopt;
  uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(arena->base_);
  if (offset >= arena->count_ * slab_size) return std::nullopt;
  return SharedPlace{arena->file_.number(), offset};
}

/// Empties the arena in the child of a fork. The parent's slabs have no owner there, and their addresses are
/// not used again. An arena in a file is not used again at all, because the child has neither the file nor
/// memory at the addresses; it makes another one when it needs one.
void SlabArena::forget_parent() noexcept {
  abandon(mutex_);
  abandon(free_);
  for (size_t index = 0; index < used_; ++index) entry(index).store(nullptr, std::memory_order_relaxed);
  if (shared_) keep_unused(shared_.base(), shared_.size());
  in_file_.store(nullptr, std::memory_order_relaxed);
  abandon(making_);
  is_refused_ = false;
}

// Returns 64, 128, 192, 256, 384, 512, 768, ... 32768: the powers of 2 and the values halfway between them.
size_t SmallHeap::class_size(size_t index) {
  if (index == 0) return 64;
  size_t power = size_t{128} << ((index - 1) / 2);
  return index % 2 == 1 ? power : power + power / 2;
}

void* SmallHeap::allocate(size_t size, size_t alignment) {
  if (size == 0 || size > largest || alignment > largest) return nullptr;
  size_t index = 0;
  // Block addresses are multiples of the class size and hence of every power of 2 that divides it.
  while (index < class_count && (class_size(index) < size || class_size(index) % alignment != 0)) ++index;
  if (index == class_count) return nullptr;
  Class& size_class = classes_[index];
  std::lock_guard lock(size_class.mutex);
  if (size_class.with_room.empty()) {
    reserve_one_more(size_class.all);
    size_class.with_room.reserve(size_class.all.capacity());
    SlabArena* arena = SlabArena::get(kind_);
    if (arena == nullptr) return nullptr;
    SlabArena::Slab* slab = arena->create(*this, static_cast<uint32_t>(class_size(index)));
    if (slab == nullptr) return nullptr;
    size_class.all.emplace_back(slab);
    size_class.with_room.push_back(slab);
    slab->listed = true;
  }
  SlabArena::Slab* slab = size_class.with_room.back();
  uint16_t block = slab->free.back();
  slab->free.pop_back();
  slab->sizes[block] = static_cast<uint32_t>(size);
  if (slab->free.empty()) {
    size_class.with_room.pop_back();
    slab->listed = false;
  }
  return slab->base + size_t{block} * slab->block_size;
}

namespace {

/// Returns the number of the block that contains the address.
size_t block_of(const SlabArena::Slab& slab, const void* address) {
  return static_cast<size_t>(static_cast<const std::byte*>(address) - slab.base) / slab.block_size;
}

}  // namespace

std::optional<SmallHeap::Block> SmallHeap::find(const void* address) {
  SlabArena::Slab* slab = SlabArena::find(address);
  if (slab == nullptr) return std::nullopt;
  size_t block = block_of(*slab, address);
  size_t index = 0;
  while (class_size(index) != slab->block_size) ++index;
  std::lock_guard lock(slab->heap->classes_[index].mutex);
  if (block >= slab->sizes.size() || slab->sizes[block] == 0) return std::nullopt;
  std::byte* base = slab->base + block * slab->block_size;
  if (static_cast<const std::byte*>(address) >= base + slab->sizes[block]) return std::nullopt;
  return Block{slab->heap, base, slab->sizes[block]};
}

std::optional<SharedPlace> SmallHeap::place_of(const void* address) {
  return find(address) ? SlabArena::place_of(address) : std::nullopt;
}

bool SmallHeap::free(void* base) {
  SlabArena::Slab* slab = SlabArena::find(base);
  if (slab == nullptr) return false;
  size_t block = block_of(*slab, base);
  if (slab->base + block * slab->block_size != base) return false;
  size_t index = 0;
  while (class_size(index) != slab->block_size) ++index;
  Class& size_class = slab->heap->classes_[index];
  std::lock_guard lock(size_class.mutex);
  if (block >= slab->sizes.size() || slab->sizes[block] == 0) return false;
  slab->sizes[block] = 0;
  slab->free.push_back(static_cast<uint16_t>(block));
  if (!slab->listed) {
    size_class.with_room.push_back(slab);
    slab->listed = true;
  }
  return true;
}

void* SmallHeap::any_block() {
  for (Class& size_class : classes_) {
    std::lock_guard lock(size_class.mutex);
    for (auto& slab : size_class.all)
      for (size_t i = 0; i < slab->sizes.size(); ++i)
        if (slab->sizes[i] != 0) return slab->base + i * slab->block_size;
  }
  return nullptr;
}

SmallHeap::~SmallHeap() {
  for (Class& size_class : classes_)
    for (auto& slab : size_class.all) slab->arena->destroy(slab.get());
}

}  // namespace heddle::driver
