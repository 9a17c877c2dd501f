// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of one client: allocations in regions, registrations, owners and copies (Runtime 2.7, MVA 2.9
// and 5.4).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/block_heap.h"
#include "driver/connections.h"
#include "driver/driver.h"
#include "driver/shared_exports.h"
#include "driver/small_heap.h"
#include "driver/virtual_memory.h"

namespace heddle::driver {

class Memory {
 public:
  Memory(Connections& connections, std::span<const Region* const> regions);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Whether the region's memory is an agent's own, at addresses that the agent chooses: the host cannot
  /// access it.
  static bool is_at_agent(const Region& region);
  /// Returns the region for the memory of queues if there are agents that have to hear of it; null otherwise.
  const Region* region_of_queues() const { return region_of_queues_; }

  StatusOr<void*> allocate(const Region& region, size_t size, size_t alignment, Backing backing);
  hsa_status_t free(void* base);
  std::optional<MemoryInfo> find(const void* address) const;
  StatusOr<SharedName> share(const void* base);
  StatusOr<SharedPlace> detachable_place_of(const void* base);
  /// Returns the place of the byte at `address`. INVALID_ARGUMENT if it is in no allocation that
  /// lies in a file.
  StatusOr<SharedPlace> place_of(const void* address) const;
  hsa_status_t register_memory(void* base, size_t size);
  hsa_status_t deregister_memory(void* base, size_t size);
  hsa_status_t assign_agent(void* base, const Agent& agent, hsa_access_permission_t access);
  hsa_status_t copy(void* destination, const void* source, size_t size);
  /// Begins a copy if an agent makes it; HSAM_Not_Supported if none does without a thread that waits.
  /// HSAM_Async: `started` is told of the end.
  HSAM_Error start_copy(const hsam_copy& copy, StartedCopy& started);
  bool can_reach(const Agent& agent, const Region& region);
  hsa_status_t allow_peer(const Agent& agent, const Region& region);
  /// Frees everything and tells the agents. The caller makes sure that no other call is in progress or
  /// follows.
  void free_all();

 private:
  struct Large {
    Mapping memory;  ///< empty: the memory is in shareable_, or the provider's
    size_t size;
    const Region* region;
    bool leaves_its_pages = false;    ///< of shareable memory: somebody else may keep the pages
    const Agent* provider = nullptr;  ///< that has chosen the address (region_allocate)

    bool is_shareable() const { return !memory && provider == nullptr; }
  };
  /// Shareable memory that is to be freed.
  struct Lingering {
    std::byte* base;
    size_t size;               ///< rounded up to pages
    bool drops_pages = false;  ///< somebody else may keep the pages
  };
  using Listeners = std::vector<const Agent*>;
  /// One end of a copy.
  struct CopyEnd {
    const Agent* owner = nullptr;
    bool is_on_host = true;
  };
  struct CopyEnds {
    CopyEnd to, from;
  };

  void note_agent_memory();
  std::byte* allocate_here(const Region& region, size_t size, size_t alignment, Backing backing);
  std::byte* allocate_in_no_file(const Region& region, size_t size, size_t alignment, bool locked,
                                 int reason);
  std::byte* allocate_large(const Region& region, size_t size, size_t alignment, bool locked);
  std::byte* allocate_shareable(const Region& region, size_t size, size_t alignment, bool locked);
  StatusOr<void*> allocate_at_agent(const Agent& provider, const Region& region, size_t size,
                                    size_t alignment);
  void free_at_agent(const Agent& provider, void* base);
  void unlock_registered(uintptr_t base, size_t size);
  bool free_quietly(void* base);
  void free_shareable(Lingering freed);
  bool try_free(const Lingering& freed) noexcept;
  void unlock_and_free(const Lingering& freed) noexcept;
  void free_lingering() noexcept;
  template <typename Use>
  auto with_shareable(const void* base, Use use) -> decltype(use(std::declval<Large&>(), uint64_t{}));
  // These need mutex_.
  std::optional<MemoryInfo> find_locked(const void* address) const;
  std::optional<MemoryInfo> find_large(const void* address) const;
  std::optional<MemoryInfo> find_registered(const void* address) const;
  const Agent* owner_of(const MemoryInfo& info) const;

  /// Sends memory_allocation to all `listeners`. If one refuses, withdraws what the agents have been told.
  /// `region` is null for registered memory.
  HSAM_Error announce(const Listeners& listeners, std::byte* base, size_t size, const Region* region);
  HSAM_Error announce_to(const Agent& agent, std::byte* base, size_t size, hsam_segment segment,
                         uint32_t flags);
  void withdraw(std::span<const Agent* const> listeners, std::byte* base, size_t size);
  hsa_status_t hand_over(const MemoryInfo& info, const Agent* from, const Agent& to,
                         hsam_access_permission access);
  /// Returns the mask of hsam_peer_access that `agent` has for memory of `owner`; 0 after an error.
  uint32_t peer_access(const Agent& agent, const Agent& owner);
  CopyEnds ends_of_copy(const void* to, const void* from) const;
  const Agent* maker_of_copy(const CopyEnd& to, const CopyEnd& from);
  hsa_status_t copy_by_way_of_host(const CopyEnd& to, std::byte* destination, const CopyEnd& from,
                                   const std::byte* source, size_t size);
  hsa_status_t copy_by_agent(const Agent& agent, std::byte* destination, const std::byte* source, size_t size,
                             bool host_can);

  Connections& connections_;
  std::vector<Listeners> listeners_;  // by Region::index: who is told of allocations
  Listeners all_listeners_;           // who is told of registrations
  const Region* region_of_queues_ = nullptr;
  std::vector<std::unique_ptr<SmallHeap>> heaps_;             // by Region::index
  std::vector<std::unique_ptr<SmallHeap>> heaps_in_no_file_;  // likewise, for when the system refuses files
  const bool all_shareable_;  // some agent maps memory of the host in processes of its own
  BlockHeap shareable_;
  SharedExports exports_{shareable_.file()};

  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Large> large_;
  // Freed here but mapped in other processes.
  std::vector<Lingering> lingering_;
  std::map<uintptr_t, size_t> registered_;
  // Owners of those coarse-grained allocations that have been assigned.
  std::unordered_map<uintptr_t, const Agent*> owners_;
  std::atomic<bool> has_agent_memory_{false};  // copies must consider owners
  bool lock_all_ = false;                      // some agent requires safe-to-access memory
};

}  // namespace heddle::driver
