// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files behind memory that processes can share: who has them, and what happens when they cannot be made.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

constexpr size_t page = 4096;

/// Counts the descriptors of this process that refer to files in memory for allocations.
int open_memory_files() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the descriptor of this very folder
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    count += target.starts_with("/memfd:heddle (") || target.starts_with("/memfd:heddle virtual memory (");
  }
  return count;
}

class MemoryFiles : public Pools {
 protected:
  hsa_amd_vmem_alloc_handle_t virtual_memory(size_t size) const {
    hsa_amd_vmem_alloc_handle_t handle{};
    EXPECT_SUCCESS(hsa_amd_vmem_handle_create(agent_pool(), size, MEMORY_TYPE_NONE, 0, &handle));
    return handle;
  }
};

/// Otherwise the child would keep the memory in use after its parent has ended.
TEST_F(MemoryFiles, AreNotLeftToTheChildOfAFork) {
  char* memory = allocate(host_pool(), page);
  const auto handle = virtual_memory(page);
  EXPECT_EQ(open_memory_files(), 2);
  EXPECT_EQ(in_child([] { return open_memory_files(); }), 0);
  *memory = 1;
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

/// The system ends processes that make a longer file than this limit allows (SIGXFSZ).
TEST_F(MemoryFiles, AreRefusedAboveTheLimitOfTheProcess) {
  const int code = in_child([] {
    const rlimit limit = {4 << 20, 4 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || hsa_init() != HSA_STATUS_SUCCESS) return 1;
    std::vector<hsa_agent_t> agents;
    if (hsa_iterate_agents(collect<hsa_agent_t>, &agents) != HSA_STATUS_SUCCESS) return 2;
    const hsa_amd_memory_pool_t pool = pools(agents[0]).front();
    void* memory = nullptr;
    if (hsa_amd_memory_pool_allocate(pool, page, 0, &memory) != HSA_STATUS_SUCCESS) return 3;
    if (hsa_amd_memory_pool_free(memory) != HSA_STATUS_SUCCESS) return 4;
    if (hsa_amd_memory_pool_allocate(pool, 8 << 20, 0, &memory) != HSA_STATUS_ERROR_OUT_OF_RESOURCES)
      return 5;
    hsa_amd_vmem_alloc_handle_t handle{};
    if (hsa_amd_vmem_handle_create(pool, 8 << 20, MEMORY_TYPE_NONE, 0, &handle) !=
        HSA_STATUS_ERROR_OUT_OF_RESOURCES)
      return 6;
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 7;
  });
  EXPECT_EQ(code, 0);
}

/// An access to a page that another process has cut off would end this process.
TEST_F(MemoryFiles, CannotBeMadeShorter) {
  const auto handle = virtual_memory(2 * page);
  int file = -1;
  ASSERT_SUCCESS(hsa_amd_vmem_export_shareable_handle(&file, handle, 0));
  EXPECT_EQ(ftruncate(file, page), -1);
  EXPECT_EQ(errno, EPERM);
  close(file);
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

TEST_F(MemoryFiles, KeepTheirPositionWhenTheyAreImported) {
  const auto handle = virtual_memory(2 * page);
  int file = -1;
  ASSERT_SUCCESS(hsa_amd_vmem_export_shareable_handle(&file, handle, 0));
  ASSERT_EQ(lseek(file, 5, SEEK_SET), 5);
  hsa_amd_vmem_alloc_handle_t imported{};
  EXPECT_SUCCESS(hsa_amd_vmem_import_shareable_handle(file, &imported));
  size_t size = 0;
  void* memory = nullptr;
  EXPECT_SUCCESS(hsa_amd_interop_map_buffer(1, &host_, file, 0, &size, &memory, nullptr, nullptr));
  EXPECT_EQ(size, 2 * page);
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 5);
  close(file);
  EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(memory));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(imported));
  EXPECT_SUCCESS(hsa_amd_vmem_handle_release(handle));
}

}  // namespace
}  // namespace heddle::runtime::test
