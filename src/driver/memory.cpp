// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "driver/copies.h"
#include "driver/log.h"
#include "driver/messages.h"
#include "driver/started_copy.h"
#include "support/align.h"
#include "support/exception_safety.h"
#include "support/intervals.h"

namespace heddle::driver {
namespace {

// Messages to agents have 32-bit signed sizes. Larger areas are announced in pieces of this size, which is a
// multiple of every page size.
constexpr size_t largest_piece = size_t{1} << 30;
constexpr size_t largest_size = SIZE_MAX / 8;
constexpr size_t copy_buffer_size = size_t{16} << 20;

/// Calls f(offset, size) for each piece until an answer is not HSAM_Done, and returns the last answer.
template <typename F>
HSAM_Error for_each_piece(size_t size, F f) {
  for (size_t offset = 0; offset < size; offset += largest_piece)
    if (HSAM_Error answer = f(offset, std::min(largest_piece, size - offset)); answer != HSAM_Done)
      return answer;
  return HSAM_Done;
}

bool is_host_memory(const hsam_region_description& region) {
  return region.memory_id < HSAM_MEMORY_AGENT_FIRST;
}

/// Whether this is fine-grained memory of the host: agents and the host see what the other writes.
bool is_fine_on_host(const Region* region) {
  return is_host_memory(region->description) && region->description.segment == HSAM_SEGMENT_GLOBAL &&
         (region->description.global_flags & HSAM_GLOBAL_FLAG_FINE_GRAINED) != 0;
}

bool is_coarse(const Region* region) {
  return region != nullptr && region->description.segment == HSAM_SEGMENT_GLOBAL &&
         (region->description.global_flags & HSAM_GLOBAL_FLAG_COARSE_GRAINED) != 0;
}

/// Reports whether the agent has to provide the region's memory itself.
bool is_own(const Region* region, const Agent& agent) {
  return region != nullptr && !is_host_memory(region->description) &&
         std::find(region->agents.begin(), region->agents.end(), &agent) != region->agents.end();
}

/// Returns the agent that chooses the addresses of the region's memory, or null if the host does.
const Agent* provider_of(const Region& region) {
  if (is_host_memory(region.description) || region.agents.empty()) return nullptr;
  const Agent* agent = region.agents.front();
  return Requests::interface(*agent).region_allocate != nullptr ? agent : nullptr;
}

/// Returns false if `from` is not a valid permission. The two enumerations have different values (MVA
/// 2.9.1.3).
bool translate(hsa_access_permission_t from, hsam_access_permission* to) {
  switch (from) {
    case HSA_ACCESS_PERMISSION_RO:
      *to = HSAM_ACCESS_PERMISSION_RO;
      return true;
    case HSA_ACCESS_PERMISSION_WO:
      *to = HSAM_ACCESS_PERMISSION_WO;
      return true;
    case HSA_ACCESS_PERMISSION_RW:
      *to = HSAM_ACCESS_PERMISSION_RW;
      return true;
    default:
      return false;
  }
}

}  // namespace

Memory::Memory(Connections& connections, std::span<const Region* const> regions)
    : connections_(connections),
      all_shareable_(std::ranges::any_of(
          connections.agents(), [](const Agent* agent) { return agent->config().wants_memory_files != 0; })),
      shareable_(all_shareable_ ? Where::apart : Where::anywhere) {
  for (const Agent* agent : connections.agents()) {
    if (agent->config().wants_memory_messages) all_listeners_.push_back(agent);
    lock_all_ |= agent->config().safe_all_memory != 0;
  }
  for (const Region* region : regions) {
    Listeners listeners = all_listeners_;
    // The agent that owns memory must provide it, so it is told of allocations even if it wants no memory
    // messages.
    if (!is_host_memory(region->description))
      for (const Agent* agent : region->agents)
        if (!agent->config().wants_memory_messages) listeners.push_back(agent);
    listeners_.push_back(std::move(listeners));
    heaps_.push_back(std::make_unique<SmallHeap>(
        region, all_shareable_ ? SlabArena::Kind::in_file : SlabArena::Kind::anonymous));
    if (all_shareable_) heaps_in_no_file_.push_back(std::make_unique<SmallHeap>(region));
  }
  const auto fine = std::ranges::find_if(regions, is_fine_on_host);
  if (!all_listeners_.empty() && fine != regions.end()) region_of_queues_ = *fine;
}

bool Memory::is_at_agent(const Region& region) { return provider_of(region) != nullptr; }

StatusOr<void*> Memory::allocate(const Region& region, size_t size, size_t alignment, Backing backing) {
  const hsam_region_description& description = region.description;
  if (size == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  size_t limit = description.alloc_max_size != 0 ? description.alloc_max_size : description.size;
  if (size > (limit != 0 ? limit : largest_size)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  alignment = std::bit_ceil(std::max<size_t>({alignment, description.alloc_alignment, 1}));
  size_t rounded = align_up(size, std::max<size_t>(description.alloc_granule, 1));
  if (alignment > (size_t{1} << 30)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (const Agent* provider = provider_of(region); provider != nullptr)
    return allocate_at_agent(*provider, region, rounded, alignment);

  std::byte* const base = allocate_here(region, rounded, alignment, backing);
  if (base == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (!is_host_memory(description)) note_agent_memory();
  bool accepted = false;
  const Finally give_back([&] {
    if (!accepted) free_quietly(base);
  });
  accepted = announce(listeners_[region.index], base, rounded, &region) == HSAM_Done;
  if (!accepted) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return static_cast<void*>(base);
}

/// Allocates memory at an address that the host chooses.
std::byte* Memory::allocate_here(const Region& region, size_t size, size_t alignment, Backing backing) {
  const bool is_host = is_host_memory(region.description), locked = lock_all_ && is_host;
  const bool shareable = backing == Backing::shareable;
  // Small blocks share pages, which is possible without involving an agent only in host memory, and only if
  // no pages have to be locked or given to other processes.
  if (is_host && !locked && !shareable)
    if (void* block = heaps_[region.index]->allocate(size, alignment)) return static_cast<std::byte*>(block);
  if (!is_host || !(all_shareable_ || shareable)) return allocate_large(region, size, alignment, locked);
  if (std::byte* base = allocate_shareable(region, size, alignment, locked)) return base;
  const int reason = errno;
  if (!shareable) return allocate_in_no_file(region, size, alignment, locked, reason);
  log_error("there are no {} bytes that other processes can map: {}", size,
            std::generic_category().message(reason));
  return nullptr;
}

/// Allocates memory of the host that should lie in a file, which the system has refused. Agents in this
/// process can use the memory nevertheless, and an agent that cannot refuses it when it is told.
std::byte* Memory::allocate_in_no_file(const Region& region, size_t size, size_t alignment, bool locked,
                                       int reason) {
  static constinit std::atomic_flag is_said;
  std::byte* base = nullptr;
  if (!locked) base = static_cast<std::byte*>(heaps_in_no_file_[region.index]->allocate(size, alignment));
  if (base == nullptr) base = allocate_large(region, size, alignment, locked);
  if (base != nullptr && !is_said.test_and_set())
    log_warning(
        "memory of the host lies in no file, because the system refuses one ({}): an agent's process "
        "cannot access it",
        std::generic_category().message(reason));
  return base;
}

/// Allocates memory at an address that its agent chooses.
StatusOr<void*> Memory::allocate_at_agent(const Agent& provider, const Region& region, size_t size,
                                          size_t alignment) {
  int64_t client_at_agent;
  if (HSAM_Error answer = connections_.open(provider, &client_at_agent); answer != HSAM_Done)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  void* base = nullptr;
  const HSAM_Error answer = Requests::send_for_handle(
      provider, "region_allocate", &hsa_agent_driver_interface::region_allocate, &base, client_at_agent,
      region.description.memory_id, uint64_t{size}, uint64_t{alignment});
  if (answer != HSAM_Done) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  bool kept = false;
  const Finally give_back([&] {
    if (!kept) free_at_agent(provider, base);
  });
  note_agent_memory();
  std::unique_lock lock(mutex_);
  const bool is_new =
      large_.emplace(reinterpret_cast<uintptr_t>(base), Large{Mapping(), size, &region, false, &provider})
          .second;
  kept = true;
  if (is_new) return base;
  log_error("agent '{}' has given out the address {} twice", provider.config().name, base);
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void Memory::free_at_agent(const Agent& provider, void* base) {
  int64_t client_at_agent;
  if (!connections_.find(provider, &client_at_agent)) return;
  const HSAM_Error answer = Requests::send(provider, "region_free", &hsa_agent_driver_interface::region_free,
                                           client_at_agent, base);
  if (answer != HSAM_Done)
    log_error("agent '{}' failed to free memory: {}", provider.config().name, name_of(answer));
}

std::byte* Memory::allocate_large(const Region& region, size_t size, size_t alignment, bool locked) {
  Mapping memory = Mapping::create(size, alignment);
  if (!memory) return nullptr;
  if (locked && !lock_in_memory(memory.base(), memory.size())) return nullptr;
  std::byte* base = memory.base();
  std::unique_lock lock(mutex_);
  large_.emplace(reinterpret_cast<uintptr_t>(base), Large{std::move(memory), size, &region});
  return base;
}

std::byte* Memory::allocate_shareable(const Region& region, size_t size, size_t alignment, bool locked) {
  free_lingering();
  const size_t whole_pages = align_up(size, page_size());
  std::byte* base = shareable_.allocate(whole_pages, alignment);
  if (base == nullptr) return nullptr;
  bool kept = false;
  const Finally give_back([&] {
    if (!kept) unlock_and_free({base, whole_pages});
  });
  if (locked && !lock_in_memory(base, whole_pages)) return nullptr;
  std::unique_lock lock(mutex_);
  large_.emplace(reinterpret_cast<uintptr_t>(base), Large{Mapping(), size, &region});
  kept = true;
  return base;
}

hsa_status_t Memory::free(void* base) {
  if (base == nullptr) return HSA_STATUS_SUCCESS;
  if (!all_listeners_.empty() || has_agent_memory_.load(std::memory_order_relaxed)) {
    std::optional<MemoryInfo> info = find(base);
    if (!info || info->base != base || info->region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (provider_of(*info->region) == nullptr)
      withdraw(listeners_[info->region->index], static_cast<std::byte*>(base), info->size);
  }
  return free_quietly(base) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

bool Memory::free_quietly(void* base) {
  if (SmallHeap::free(base)) {
    if (!has_agent_memory_.load(std::memory_order_relaxed)) return true;
    std::unique_lock lock(mutex_);
    owners_.erase(reinterpret_cast<uintptr_t>(base));
    return true;
  }
  std::map<uintptr_t, Large>::node_type node;  // unmaps the memory after the lock is released
  std::unique_lock lock(mutex_);
  node = large_.extract(reinterpret_cast<uintptr_t>(base));
  owners_.erase(reinterpret_cast<uintptr_t>(base));
  lock.unlock();
  if (node.empty()) return false;
  if (const Agent* provider = node.mapped().provider; provider != nullptr) {
    free_at_agent(*provider, base);
    return true;
  }
  if (node.mapped().memory) return true;
  const size_t size = align_up(node.mapped().size, page_size());
  free_shareable({static_cast<std::byte*>(base), size, node.mapped().leaves_its_pages});
  return true;
}

/// Frees shareable memory, at once or when no other process has it mapped any more.
void Memory::free_shareable(Lingering freed) {
  free_lingering();
  if (try_free(freed)) return;
  std::unique_lock lock(mutex_);
  try {
    lingering_.push_back(freed);
  } catch (const std::bad_alloc&) {
    log_warning("memory that another process uses is never used again, because there is no room to note it");
  }
}

bool Memory::try_free(const Lingering& freed) noexcept {
  if (!exports_.withdraw(freed.base)) return false;
  unlock_and_free(freed);
  return true;
}

/// Gives memory back to the heap of shareable memory, which keeps it mapped for the next allocation. It must
/// not stay locked there, because what a process may lock is limited.
void Memory::unlock_and_free(const Lingering& freed) noexcept {
  if (lock_all_) munlock(freed.base, freed.size);
  if (freed.drops_pages) shareable_.file().drop_pages(shareable_.offset_of(freed.base), freed.size);
  shareable_.free(freed.base);
}

void Memory::free_lingering() noexcept {
  std::unique_lock lock(mutex_);
  std::erase_if(lingering_, [&](const Lingering& freed) { return try_free(freed); });
}

/// Calls `use(allocation, offset in the file)` for the shareable allocation that begins at `base`, which
/// nobody can free meanwhile.
template <typename Use>
auto Memory::with_shareable(const void* base, Use use) -> decltype(use(std::declval<Large&>(), uint64_t{})) {
  std::unique_lock lock(mutex_);
  const auto found = large_.find(reinterpret_cast<uintptr_t>(base));
  if (found == large_.end() || !found->second.is_shareable()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return use(found->second, shareable_.offset_of(static_cast<const std::byte*>(base)));
}

StatusOr<SharedName> Memory::share(const void* base) {
  return with_shareable(base, [&](const Large& allocation, uint64_t offset) {
    return exports_.name(base, offset, align_up(allocation.size, page_size()));
  });
}

StatusOr<SharedPlace> Memory::detachable_place_of(const void* base) {
  return with_shareable(base, [&](Large& allocation, uint64_t offset) -> StatusOr<SharedPlace> {
    allocation.leaves_its_pages = true;
    return SharedPlace{shareable_.file().descriptor(), offset};
  });
}

StatusOr<SharedPlace> Memory::place_of(const void* address) const {
  if (const auto place = SmallHeap::place_of(address)) return *place;
  std::shared_lock lock(mutex_);
  const auto found = interval_at(large_, reinterpret_cast<uintptr_t>(address),
                                 [](const Large& large) { return large.size; });
  if (found == large_.end() || !found->second.is_shareable()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto* base = reinterpret_cast<const std::byte*>(found->first);
  const auto inside = static_cast<uint64_t>(static_cast<const std::byte*>(address) - base);
  return SharedPlace{shareable_.file().descriptor(), shareable_.offset_of(base) + inside};
}

std::optional<MemoryInfo> Memory::find(const void* address) const {
  std::shared_lock lock(mutex_);
  return find_locked(address);
}

std::optional<MemoryInfo> Memory::find_locked(const void* address) const {
  std::optional<MemoryInfo> info;
  if (auto block = SmallHeap::find(address))
    info = MemoryInfo{MemoryInfo::Kind::allocated, block->base, block->size,
                      static_cast<const Region*>(block->heap->owner()), nullptr};
  else
    info = find_large(address);
  if (!info) return find_registered(address);
  info->owner = owner_of(*info);
  return info;
}

std::optional<MemoryInfo> Memory::find_large(const void* address) const {
  const auto found = interval_at(large_, reinterpret_cast<uintptr_t>(address),
                                 [](const Large& large) { return large.size; });
  if (found == large_.end()) return std::nullopt;
  const auto& [base, large] = *found;
  return MemoryInfo{
      MemoryInfo::Kind::allocated, reinterpret_cast<void*>(base), large.size, large.region, nullptr,
      large.is_shareable()};
}

std::optional<MemoryInfo> Memory::find_registered(const void* address) const {
  const auto found = interval_at(registered_, reinterpret_cast<uintptr_t>(address));
  if (found == registered_.end()) return std::nullopt;
  const auto& [base, size] = *found;
  return MemoryInfo{MemoryInfo::Kind::registered, reinterpret_cast<void*>(base), size, nullptr, nullptr};
}

const Agent* Memory::owner_of(const MemoryInfo& info) const {
  if (info.region == nullptr) return nullptr;
  if (is_coarse(info.region)) {
    auto found = owners_.find(reinterpret_cast<uintptr_t>(info.base));
    if (found != owners_.end()) return found->second;
  }
  // Memory that only one agent can access belongs to it from the start, including readonly memory (Runtime
  // 2.7.1).
  bool shared = is_host_memory(info.region->description) || info.region->agents.size() != 1;
  return shared ? nullptr : info.region->agents.front();
}

HSAM_Error Memory::announce(const Listeners& listeners, std::byte* base, size_t size, const Region* region) {
  const hsam_segment segment = region == nullptr ? HSAM_SEGMENT_SYSTEM : region->description.segment;
  const uint32_t shared_flags =
      region == nullptr ? HSAM_GLOBAL_FLAG_FINE_GRAINED : region->description.global_flags;
  for (size_t i = 0; i < listeners.size(); ++i) {
    const uint32_t own = is_own(region, *listeners[i]) ? HSAM_GLOBAL_FLAG_OWN_REGION : 0;
    HSAM_Error answer = announce_to(*listeners[i], base, size, segment, shared_flags | own);
    if (answer == HSAM_Done) continue;
    withdraw(std::span(listeners.data(), i), base, size);
    return answer;
  }
  return HSAM_Done;
}

HSAM_Error Memory::announce_to(const Agent& agent, std::byte* base, size_t size, hsam_segment segment,
                               uint32_t flags) {
  int64_t client_at_agent;
  HSAM_Error answer = connections_.open(agent, &client_at_agent);
  if (answer != HSAM_Done) return answer;
  size_t told = 0;
  answer = for_each_piece(size, [&](size_t offset, size_t piece) {
    HSAM_Error result = Requests::send(
        agent, "memory_allocation", &hsa_agent_driver_interface::memory_allocation, client_at_agent,
        static_cast<void*>(base + offset), static_cast<int32_t>(piece), segment, static_cast<int32_t>(flags));
    if (result == HSAM_Done) told = offset + piece;
    return result;
  });
  const Agent* refusing[] = {&agent};
  if (answer != HSAM_Done && told != 0) withdraw(refusing, base, told);
  return answer;
}

void Memory::withdraw(std::span<const Agent* const> listeners, std::byte* base, size_t size) {
  for (const Agent* agent : listeners) {
    int64_t client_at_agent;
    if (!connections_.find(*agent, &client_at_agent)) continue;
    HSAM_Error answer = for_each_piece(size, [&](size_t offset, size_t) {
      return Requests::send(*agent, "memory_free", &hsa_agent_driver_interface::memory_free, client_at_agent,
                            static_cast<void*>(base + offset));
    });
    if (answer != HSAM_Done)
      log_error("agent '{}' failed to free memory: {}", agent->config().name, name_of(answer));
  }
}

hsa_status_t Memory::register_memory(void* base, size_t size) {
  if (base == nullptr) return HSA_STATUS_SUCCESS;
  if (size == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(base)) {
    log_warning("{} bytes from {} on cannot be registered: the address space ends before", size, base);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (find(base)) return HSA_STATUS_SUCCESS;  // allocated here or registered already
  {
    std::unique_lock lock(mutex_);
    if (!registered_.emplace(reinterpret_cast<uintptr_t>(base), size).second) return HSA_STATUS_SUCCESS;
  }
  bool kept = false;
  bool locked = false;
  const Finally give_up([&] {
    if (kept) return;
    std::unique_lock lock(mutex_);
    registered_.erase(reinterpret_cast<uintptr_t>(base));
    if (locked) unlock_registered(reinterpret_cast<uintptr_t>(base), size);
  });
  // MVA 5.4.6: the pages of registered memory are committed and kept from being paged out.
  locked = lock_all_ && lock_in_memory(base, size);
  if (lock_all_ && !locked) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  kept = announce(all_listeners_, static_cast<std::byte*>(base), size, nullptr) == HSAM_Done;
  return kept ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/// Unlocks the pages that no other registration shares. Locks of the system do not count. Needs mutex_.
void Memory::unlock_registered(uintptr_t base, size_t size) {
  const size_t page = page_size();
  uintptr_t begin = base / page * page;
  const uintptr_t end = align_up(base + size, page);
  for (const auto& [other, other_size] : registered_) {
    const uintptr_t other_begin = other / page * page;
    const uintptr_t other_end = align_up(other + other_size, page);
    if (other_end <= begin || other_begin >= end) continue;
    if (other_begin > begin) munlock(reinterpret_cast<void*>(begin), other_begin - begin);
    begin = std::max(begin, other_end);
  }
  if (begin < end) munlock(reinterpret_cast<void*>(begin), end - begin);
}

hsa_status_t Memory::deregister_memory(void* base, size_t) {
  if (base == nullptr) return HSA_STATUS_SUCCESS;
  size_t size;
  {
    std::unique_lock lock(mutex_);
    auto found = registered_.find(reinterpret_cast<uintptr_t>(base));
    if (found == registered_.end()) return HSA_STATUS_SUCCESS;
    size = found->second;
    registered_.erase(found);
  }
  withdraw(all_listeners_, static_cast<std::byte*>(base), size);
  if (lock_all_) {
    std::unique_lock lock(mutex_);
    unlock_registered(reinterpret_cast<uintptr_t>(base), size);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::assign_agent(void* base, const Agent& agent, hsa_access_permission_t access) {
  hsam_access_permission permission;
  if (base == nullptr || !translate(access, &permission)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::optional<MemoryInfo> info = find(base);
  if (!info || info->base != base) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_coarse(info->region)) return HSA_STATUS_SUCCESS;
  const auto& agents = info->region->agents;
  if (std::find(agents.begin(), agents.end(), &agent) == agents.end())
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  {
    // The entry is inserted before the hand-over, because failing to insert it afterwards would lose the new
    // owner.
    std::unique_lock lock(mutex_);
    owners_.try_emplace(reinterpret_cast<uintptr_t>(base), info->owner);
  }
  hsa_status_t status = hand_over(*info, info->owner, agent, permission);
  if (status != HSA_STATUS_SUCCESS) return status;
  std::unique_lock lock(mutex_);
  owners_[reinterpret_cast<uintptr_t>(base)] = &agent;
  note_agent_memory();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::hand_over(const MemoryInfo& info, const Agent* from, const Agent& to,
                               hsam_access_permission access) {
  // Agents without these messages see host memory directly and have nothing to release or acquire.
  bool host = is_host_memory(info.region->description);
  auto failed = [&](HSAM_Error answer) {
    return answer != HSAM_Done && !(host && answer == HSAM_Not_Supported);
  };
  auto* base = static_cast<std::byte*>(info.base);
  int64_t at_agent;
  if (from != nullptr && connections_.find(*from, &at_agent)) {
    HSAM_Error answer = for_each_piece(info.size, [&](size_t offset, size_t) {
      return Requests::send(*from, "memory_release", &hsa_agent_driver_interface::memory_release, at_agent,
                            static_cast<void*>(base + offset));
    });
    if (failed(answer)) return to_status(answer);
  }
  if (HSAM_Error answer = connections_.open(to, &at_agent); answer != HSAM_Done) return to_status(answer);
  HSAM_Error answer = for_each_piece(info.size, [&](size_t offset, size_t) {
    return Requests::send(to, "memory_acquire", &hsa_agent_driver_interface::memory_acquire, at_agent,
                          static_cast<void*>(base + offset), access);
  });
  return failed(answer) ? to_status(answer) : HSA_STATUS_SUCCESS;
}

Memory::~Memory() {
  if (has_agent_memory_.load(std::memory_order_relaxed))
    clients_with_agent_memory.fetch_sub(1, std::memory_order_relaxed);
}

/// Is called before anybody learns the address of memory that copies must consider the owner of.
void Memory::note_agent_memory() {
  if (!has_agent_memory_.exchange(true, std::memory_order_relaxed))
    clients_with_agent_memory.fetch_add(1, std::memory_order_relaxed);
}

Memory::CopyEnds Memory::ends_of_copy(const void* to, const void* from) const {
  const auto end_at = [&](const void* address) -> CopyEnd {
    const std::optional<MemoryInfo> info = find_locked(address);
    if (!info) return {};
    return {info->owner, info->region == nullptr || is_host_memory(info->region->description)};
  };
  std::shared_lock lock(mutex_);
  return {end_at(to), end_at(from)};
}

/// Returns the agent that makes a copy, or null if no agent can make it alone. If only one agent owns memory
/// of the copy, it is that one (MVA 5.4.7). If there are two owners, it is one that can access the memory of
/// the other, preferably the owner of the source, because writes to remote memory do not have to wait for
/// replies as reads do.
const Agent* Memory::maker_of_copy(const CopyEnd& to, const CopyEnd& from) {
  if (to.owner == nullptr || to.owner == from.owner) return from.owner;
  if (from.owner == nullptr) return to.owner;
  if (to.is_on_host || from.is_on_host) return nullptr;
  if (peer_access(*from.owner, *to.owner) & HSAM_PEER_COPIES) return from.owner;
  return peer_access(*to.owner, *from.owner) & HSAM_PEER_COPIES ? to.owner : nullptr;
}

hsa_status_t Memory::copy(void* destination, const void* source, size_t size) {
  if (size == 0) return HSA_STATUS_SUCCESS;
  if (destination == nullptr || source == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!has_agent_memory_.load(std::memory_order_relaxed)) {
    std::memcpy(destination, source, size);
    return HSA_STATUS_SUCCESS;
  }
  const auto [to, from] = ends_of_copy(destination, source);
  auto* const to_bytes = static_cast<std::byte*>(destination);
  const auto* const from_bytes = static_cast<const std::byte*>(source);
  if (to.owner == nullptr && from.owner == nullptr) {
    if (!to.is_on_host || !from.is_on_host)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;  // coarse-grained memory without owner
    std::memcpy(destination, source, size);
    return HSA_STATUS_SUCCESS;
  }
  if (const Agent* maker = maker_of_copy(to, from))
    return copy_by_agent(*maker, to_bytes, from_bytes, size, to.is_on_host && from.is_on_host);
  return copy_by_way_of_host(to, to_bytes, from, from_bytes, size);
}

/// Copies between memory of two owners through a buffer on the host (MVA 5.4.7).
hsa_status_t Memory::copy_by_way_of_host(const CopyEnd& to, std::byte* destination, const CopyEnd& from,
                                         const std::byte* source, size_t size) {
  Mapping buffer = Mapping::create(std::min(size, copy_buffer_size));
  if (!buffer) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (size_t offset = 0; offset < size; offset += copy_buffer_size) {
    size_t piece = std::min(copy_buffer_size, size - offset);
    hsa_status_t status = copy_by_agent(*from.owner, buffer.base(), source + offset, piece, from.is_on_host);
    if (status == HSA_STATUS_SUCCESS)
      status = copy_by_agent(*to.owner, destination + offset, buffer.base(), piece, to.is_on_host);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

HSAM_Error Memory::start_copy(const hsam_copy& copy, StartedCopy& started) {
  if (!has_agent_memory_.load(std::memory_order_relaxed)) return HSAM_Not_Supported;
  const auto [to, from] = ends_of_copy(copy.to, copy.from);
  const Agent* const maker = maker_of_copy(to, from);
  if (maker == nullptr || Requests::interface(*maker).memory_copy_start == nullptr) return HSAM_Not_Supported;
  int64_t client_at_agent;
  if (const HSAM_Error answer = connections_.open(*maker, &client_at_agent); answer != HSAM_Done)
    return answer;
  return Requests::start(*maker, "memory_copy_start", started, &hsa_agent_driver_interface::memory_copy_start,
                         client_at_agent, &copy);
}

uint32_t Memory::peer_access(const Agent& agent, const Agent& owner) {
  const auto function = Requests::interface(agent).peer_access;
  int64_t client_at_agent;
  uint32_t access = 0;
  if (function == nullptr || connections_.open(agent, &client_at_agent) != HSAM_Done) return 0;
  return function(client_at_agent, owner.device_driver_id(), &access) == HSAM_Done ? access : 0;
}

bool Memory::can_reach(const Agent& agent, const Region& region) {
  if (is_host_memory(region.description) || region.agents.size() != 1) return false;
  return (peer_access(agent, *region.agents.front()) & HSAM_PEER_KERNELS) != 0;
}

hsa_status_t Memory::allow_peer(const Agent& agent, const Region& region) {
  if (!can_reach(agent, region)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Agent& owner = *region.agents.front();
  int64_t client_at_agent;
  if (const HSAM_Error answer = connections_.open(owner, &client_at_agent); answer != HSAM_Done)
    return to_status(answer);
  return to_status(Requests::send(owner, "peer_allow", &hsa_agent_driver_interface::peer_allow,
                                  client_at_agent, agent.device_driver_id()));
}

hsa_status_t Memory::copy_by_agent(const Agent& agent, std::byte* destination, const std::byte* source,
                                   size_t size, bool host_can) {
  int64_t client_at_agent;
  if (HSAM_Error answer = connections_.open(agent, &client_at_agent); answer != HSAM_Done)
    return to_status(answer);
  HSAM_Error answer = for_each_piece(size, [&](size_t offset, size_t piece) {
    return Requests::send(agent, "memory_copy", &hsa_agent_driver_interface::memory_copy, client_at_agent,
                          static_cast<void*>(destination + offset), static_cast<const void*>(source + offset),
                          static_cast<int32_t>(piece));
  });
  if (answer == HSAM_Not_Supported && host_can) {
    std::memcpy(destination, source, size);
    return HSA_STATUS_SUCCESS;
  }
  return to_status(answer);
}

void Memory::free_all() {
  while (!registered_.empty()) deregister_memory(reinterpret_cast<void*>(registered_.begin()->first), 0);
  while (!large_.empty()) free(reinterpret_cast<void*>(large_.begin()->first));
  for (auto* heaps : {&heaps_, &heaps_in_no_file_}) {
    if (!all_listeners_.empty())
      for (const auto& heap : *heaps)
        while (void* base = heap->any_block()) free(base);
    heaps->clear();
  }
}

}  // namespace heddle::driver
