// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph_memory.h"

#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

/// All graph memory by address. Never destroyed, because graphs may end after static objects.
struct Addresses {
  std::mutex mutex;
  std::unordered_map<const void*, std::weak_ptr<GraphMemory>> all;

  static Addresses& get() {
    static auto* const addresses = new Addresses;
    return *addresses;
  }
};

size_t in_pages(const Device& device, size_t size) {
  const size_t page = granularity_of(device, hipMemAllocationGranularityMinimum);
  if (size == 0) throw Failure(hipErrorInvalidValue, "a node cannot allocate nothing");
  if (size > SIZE_MAX - page) throw Failure(hipErrorOutOfMemory);
  return (size + page - 1) / page * page;
}

}  // namespace

void GraphMemoryUsage::use(size_t size) {
  const std::scoped_lock lock(mutex_);
  used_ += size;
  most_used_ = std::max(most_used_, used_);
}

void GraphMemoryUsage::end_use(size_t size) {
  const std::scoped_lock lock(mutex_);
  used_ -= size;
}

void GraphMemoryUsage::reserve(size_t size) {
  const std::scoped_lock lock(mutex_);
  reserved_ += size;
  most_reserved_ = std::max(most_reserved_, reserved_);
}

void GraphMemoryUsage::give_back(size_t size) {
  const std::scoped_lock lock(mutex_);
  reserved_ -= size;
}

void GraphMemoryUsage::get(hipGraphMemAttributeType attribute, void* value) {
  const std::scoped_lock lock(mutex_);
  const size_t values[] = {used_, most_used_, reserved_, most_reserved_};
  static_assert(hipGraphMemAttrUsedMemCurrent == 0 && hipGraphMemAttrReservedMemHigh == 3);
  if (static_cast<unsigned>(attribute) >= std::size(values))
    throw Failure(hipErrorInvalidValue, "there is no such attribute of the memory of graphs");
  *static_cast<uint64_t*>(value) = values[attribute];
}

void GraphMemoryUsage::set(hipGraphMemAttributeType attribute, const void* value) {
  const bool high = attribute == hipGraphMemAttrUsedMemHigh || attribute == hipGraphMemAttrReservedMemHigh;
  if (!high) throw Failure(hipErrorInvalidValue, "this attribute of the memory of graphs cannot be set");
  if (*static_cast<const uint64_t*>(value) != 0)
    throw Failure(hipErrorInvalidValue, "a high-water mark can only be set to 0");
  const std::scoped_lock lock(mutex_);
  (attribute == hipGraphMemAttrUsedMemHigh ? most_used_ : most_reserved_) = 0;
}

GraphMemory::GraphMemory(Device& device, size_t size, std::vector<hsa_agent_t> others)
    : device_(device), size_(size), whole_(in_pages(device, size)), others_(std::move(others)) {
  size_t largest = 0;
  hsa_amd_memory_pool_get_info(device.pool(), HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, &largest);
  if (whole_ > largest) throw Failure(hipErrorOutOfMemory, "the device never has so much memory");
  void* address = nullptr;
  check(hsa_amd_vmem_address_reserve(&address, whole_, 0, 0), "hsa_amd_vmem_address_reserve",
        hipErrorOutOfMemory);
  address_ = static_cast<std::byte*>(address);
  try {
    enter(true);
  } catch (...) {
    hsa_amd_vmem_address_free(address_, whole_);
    throw;
  }
  device_.graph_memories().add(*this);
}

std::shared_ptr<GraphMemory> GraphMemory::reserve(Device& device, size_t size,
                                                  std::vector<hsa_agent_t> others) {
  // Whether memory can be without an address is asked here, so that no launch fails for it.
  hsa_amd_vmem_alloc_handle_t probe{};
  const size_t page = granularity_of(device, hipMemAllocationGranularityMinimum);
  const hsa_status_t status = hsa_amd_vmem_handle_create(device.pool(), page, MEMORY_TYPE_PINNED, 0, &probe);
  if (status == HSA_STATUS_ERROR_INVALID_ALLOCATION)
    throw Failure(hipErrorNotSupported, "memory of this device cannot be without an address");
  check(status, "hsa_amd_vmem_handle_create", hipErrorOutOfMemory);
  hsa_amd_vmem_handle_release(probe);
  std::shared_ptr<GraphMemory> memory(new GraphMemory(device, size, std::move(others)));
  Addresses& addresses = Addresses::get();
  const std::scoped_lock lock(addresses.mutex);
  addresses.all[memory->address_] = memory;
  return memory;
}

std::shared_ptr<GraphMemory> GraphMemory::find(const void* address) {
  Addresses& addresses = Addresses::get();
  const std::scoped_lock lock(addresses.mutex);
  const auto found = addresses.all.find(address);
  return found == addresses.all.end() ? nullptr : found->second.lock();
}

GraphMemory::~GraphMemory() {
  device_.graph_memories().remove(*this);
  {
    Addresses& addresses = Addresses::get();
    const std::scoped_lock lock(addresses.mutex);
    addresses.all.erase(address_);
  }
  Runtime::get().memory().take(address_);
  if (until_ != nullptr) until_->wait();
  if (mapped_) unmap();
  hsa_amd_vmem_address_free(address_, whole_);
}

/// Tells the map of all memory whether there is memory behind the addresses.
void GraphMemory::enter(bool absent) const {
  Allocation allocation{address_, size_, MemoryKind::graph, device_.number(), 0, address_};
  allocation.absent = absent;
  Runtime::get().memory().add(allocation);
}

void GraphMemory::map() {
  std::vector<hsa_amd_memory_access_desc_t> access;
  for (const hsa_agent_t agent : Runtime::get().agents_with_access(device_))
    access.push_back({HSA_ACCESS_PERMISSION_RW, agent});
  for (const hsa_agent_t agent : others_) access.push_back({HSA_ACCESS_PERMISSION_RW, agent});
  hsa_amd_vmem_alloc_handle_t handle{};
  check(hsa_amd_vmem_handle_create(device_.pool(), whole_, MEMORY_TYPE_PINNED, 0, &handle),
        "hsa_amd_vmem_handle_create", hipErrorOutOfMemory);
  const hsa_status_t status = hsa_amd_vmem_map(address_, whole_, 0, handle, 0);
  hsa_amd_vmem_handle_release(handle);  // the mapping keeps the memory
  check(status, "hsa_amd_vmem_map", hipErrorOutOfMemory);
  const hsa_status_t allowed = hsa_amd_vmem_set_access(address_, whole_, access.data(), access.size());
  if (allowed != HSA_STATUS_SUCCESS) hsa_amd_vmem_unmap(address_, whole_);
  check(allowed, "hsa_amd_vmem_set_access", hipErrorOutOfMemory);
  mapped_ = true;
  device_.graph_memory_usage().reserve(whole_);
}

void GraphMemory::unmap() {
  hsa_amd_vmem_unmap(address_, whole_);
  mapped_ = false;
  until_ = nullptr;
  device_.graph_memory_usage().give_back(whole_);
}

bool GraphMemory::allocated() const {
  const std::scoped_lock lock(mutex_);
  return allocated_;
}

void GraphMemory::allocate(Stream& stream) {
  MarkerPointer until;
  {
    const std::scoped_lock lock(mutex_);
    if (allocated_) throw Failure(hipErrorInvalidValue, "the memory of the node was not freed");
    if (!mapped_) map();
    enter(false);
    until = std::move(until_);
    allocated_ = true;
    keeps_itself_ = shared_from_this();
    device_.graph_memory_usage().use(whole_);
  }
  // Memory that was freed in another stream may still be there, and be used.
  stream.wait_for(until);
}

void GraphMemory::free(Stream* stream) {
  std::shared_ptr<GraphMemory> last;  // destroys this, maybe, after it is unlocked
  MarkerPointer until = stream == nullptr ? nullptr : stream->mark();
  const std::scoped_lock lock(mutex_);
  if (!allocated_) throw Failure(hipErrorInvalidValue, "the memory is not allocated");
  enter(true);
  allocated_ = false;
  last = std::move(keeps_itself_);
  device_.graph_memory_usage().end_use(whole_);
  if (until != nullptr)
    until_ = std::move(until);
  else if (stream == nullptr)
    unmap();
}

void free_graph_memory(const void* address, Stream* stream) {
  const auto memory = GraphMemory::find(address);
  if (memory == nullptr) throw Failure(hipErrorInvalidValue, "no graph has allocated this memory");
  memory->free(stream);
}

void GraphMemory::give_back() {
  const std::scoped_lock lock(mutex_);
  if (!mapped_ || allocated_) return;
  if (until_ != nullptr) until_->wait();
  unmap();
}

void GraphMemory::settle() {
  const std::scoped_lock lock(mutex_);
  if (mapped_ && !allocated_ && (until_ == nullptr || until_->done())) unmap();
}

}  // namespace heddle::hip
