// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools of other processes. The handle of a pool is a file that says which one it is; each exported
// pointer brings the handle of the chunk in which it lies.
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/memory_pool.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

constexpr uint32_t pool_magic = 0x48495050;
constexpr uint32_t pointer_magic = 0x48495051;

/// What the file of a pool holds.
struct SharedPool {
  uint32_t magic;
  uint32_t id;
  int32_t device;
};

/// What hipMemPoolPtrExportData holds.
struct SharedPointer {
  hsa_amd_ipc_memory_t memory;  // the chunk
  uint64_t size;                // of the chunk
  uint64_t length;              // of the allocation
  uint64_t offset;              // of the allocation in the chunk
  uint32_t magic;
  uint32_t pool;
};
static_assert(sizeof(SharedPointer) == sizeof(hipMemPoolPtrExportData));

int file_of(const SharedPool& shared) {
  const int file = memfd_create("hip memory pool", MFD_CLOEXEC);
  if (file < 0) throw Failure(hipErrorOperatingSystem, "a file for the pool cannot be made");
  if (write(file, &shared, sizeof shared) == ssize_t{sizeof shared}) return file;
  close(file);
  throw Failure(hipErrorOperatingSystem, "the file of the pool cannot be written");
}

SharedPool read_pool(int file) {
  SharedPool shared{};
  if (pread(file, &shared, sizeof shared, 0) != ssize_t{sizeof shared} || shared.magic != pool_magic)
    throw Failure(hipErrorInvalidValue, "the file is not that of a pool");
  return shared;
}

}  // namespace

hipError_t hipMemPoolExportToShareableHandle(void* shared_handle, hipMemPool_t mem_pool,
                                             hipMemAllocationHandleType handle_type, unsigned int flags) {
  if (shared_handle == nullptr || handle_type != hipMemHandleTypePosixFileDescriptor || flags != 0)
    return hipErrorInvalidValue;
  const auto pool = find_pool(mem_pool);
  if (!pool->sharing().exported) return hipErrorInvalidValue;
  *static_cast<int*>(shared_handle) = file_of({pool_magic, pool->sharing().id, pool->device().number()});
  return hipSuccess;
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* mem_pool, void* shared_handle,
                                               hipMemAllocationHandleType handle_type, unsigned int flags) {
  if (mem_pool == nullptr || handle_type != hipMemHandleTypePosixFileDescriptor || flags != 0)
    return hipErrorInvalidValue;
  const SharedPool shared = read_pool(static_cast<int>(reinterpret_cast<intptr_t>(shared_handle)));
  const PoolSharing sharing{.imported = true, .id = shared.id};
  *mem_pool = handle_of(std::make_shared<MemoryPool>(Runtime::get().device(shared.device), sharing));
  return hipSuccess;
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* export_data, void* dev_ptr) {
  if (export_data == nullptr || dev_ptr == nullptr) return hipErrorInvalidValue;
  const auto found = Runtime::get().memory().find(dev_ptr);
  if (!found || found->kind != MemoryKind::pooled || found->base != dev_ptr ||
      !found->pool->sharing().exported)
    return hipErrorInvalidValue;
  const auto [chunk, size] = found->pool->chunk_of(found->base);
  SharedPointer shared{};
  shared.size = size;
  shared.length = found->size;
  shared.offset = static_cast<uint64_t>(found->base - chunk);
  shared.magic = pointer_magic;
  shared.pool = found->pool->sharing().id;
  check(hsa_amd_ipc_memory_create(chunk, size, &shared.memory), "hsa_amd_ipc_memory_create",
        hipErrorInvalidValue);
  std::memcpy(export_data, &shared, sizeof shared);
  return hipSuccess;
}

hipError_t hipMemPoolImportPointer(void** dev_ptr, hipMemPool_t mem_pool,
                                   hipMemPoolPtrExportData* export_data) {
  if (dev_ptr == nullptr || export_data == nullptr) return hipErrorInvalidValue;
  const auto pool = find_pool(mem_pool);
  SharedPointer shared{};
  std::memcpy(&shared, export_data, sizeof shared);
  const bool fits = shared.magic == pointer_magic && shared.offset < shared.size &&
                    shared.length <= shared.size - shared.offset;
  if (!fits || !pool->sharing().imported || pool->sharing().id != shared.pool)
    throw Failure(hipErrorInvalidValue, "these bytes are no pointer of the pool");
  *dev_ptr = Runtime::get().imported_memory().open(
      {shared.memory, shared.size, shared.offset, shared.length, true}, pool->device());
  return hipSuccess;
}

}  // namespace heddle::hip::api
