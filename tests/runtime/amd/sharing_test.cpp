// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that several processes share, and buffers of other software.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "pools.h"

namespace heddle::runtime::test {
namespace {

/// Two processes that talk over pipes. The other one starts before the runtime does, as programs do it.
class TwoProcesses : public ::testing::Test {
 protected:
  /// Runs `other(self)` in a child, and the test in this process. Each returns to ready() what the other
  /// passed.
  template <typename Other>
  void start(Other other) {
    ASSERT_EQ(pipe(to_other_), 0);
    ASSERT_EQ(pipe(to_test_), 0);
    child_ = fork();
    ASSERT_GE(child_, 0);
    if (child_ != 0) return;
    std::swap(to_other_, to_test_);
    _exit(other());
  }
  template <typename T>
  void send(const T& value) const {
    EXPECT_EQ(write(to_other_[1], &value, sizeof value), static_cast<ssize_t>(sizeof value));
  }
  template <typename T>
  T receive() const {
    T value{};
    EXPECT_EQ(read(to_test_[0], &value, sizeof value), static_cast<ssize_t>(sizeof value));
    return value;
  }
  int result_of_other() const {
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int to_other_[2] = {-1, -1}, to_test_[2] = {-1, -1};
  pid_t child_ = -1;
};

struct Shared {
  hsa_amd_ipc_memory_t handle;
  size_t size;
};

hsa_amd_memory_pool_t first_coarse_pool() {
  std::vector<hsa_agent_t> agents;
  EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  return pools(agents.at(1)).front();
}

TEST_F(TwoProcesses, SeeTheSameMemory) {
  start([this] {
    if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
    for (int i = 0; i < 2; ++i) {
      const auto shared = receive<Shared>();
      void* memory = nullptr;
      if (hsa_amd_ipc_memory_attach(&shared.handle, shared.size, 0, nullptr, &memory) != HSA_STATUS_SUCCESS)
        return 2;
      hsa_amd_pointer_info_t info{};
      info.size = sizeof info;
      if (hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr) != HSA_STATUS_SUCCESS) return 3;
      if (info.type != HSA_EXT_POINTER_TYPE_IPC || info.sizeInBytes != shared.size) return 4;
      auto* bytes = static_cast<unsigned char*>(memory);
      if (!std::all_of(bytes, bytes + shared.size, [](unsigned char b) { return b == 0x11; })) return 5;
      std::memset(bytes, 0x22, shared.size);
      send(0);
      (void)receive<int>();  // the other process has freed the memory
      if (bytes[shared.size - 1] != 0x33) return 6;
      if (hsa_amd_ipc_memory_detach(memory) != HSA_STATUS_SUCCESS) return 7;
      if (hsa_amd_ipc_memory_detach(memory) != HSA_STATUS_ERROR_INVALID_ARGUMENT) return 8;
      if (hsa_amd_ipc_memory_attach(&shared.handle, shared.size, 0, nullptr, &memory) != HSA_STATUS_SUCCESS)
        send(0);
      else
        return 9;
    }
    return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 10;
  });
  ASSERT_SUCCESS(hsa_init());
  // A fragment of a block, and an allocation with memory of its own.
  for (size_t size : {size_t{5000}, size_t{5} << 20}) {
    void* memory = nullptr;
    ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(first_coarse_pool(), size, 0, &memory));
    std::memset(memory, 0x11, size);
    Shared shared{{}, size};
    ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, size, &shared.handle));
    send(shared);
    (void)receive<int>();
    auto* bytes = static_cast<unsigned char*>(memory);
    EXPECT_TRUE(std::all_of(bytes, bytes + size, [](unsigned char b) { return b == 0x22; }));
    std::memset(memory, 0x33, size);
    ASSERT_SUCCESS(hsa_amd_memory_pool_free(memory));
    // What the other process still uses is not allocated again.
    std::vector<void*> others(20);
    for (void*& other : others) {
      ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(first_coarse_pool(), size, 0, &other));
      std::memset(other, 0x44, size);
    }
    send(0);
    (void)receive<int>();
    for (void* other : others) EXPECT_SUCCESS(hsa_amd_memory_pool_free(other));
  }
  EXPECT_EQ(result_of_other(), 0);
  EXPECT_SUCCESS(hsa_shut_down());
}

class Sharing : public Pools {};

TEST_F(Sharing, AttachesInTheSameProcess) {
  char* memory = allocate(host_pool(), 4096);
  hsa_amd_ipc_memory_t handle{}, again{};
  ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, 4096, &handle));
  ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, 4096, &again));
  EXPECT_EQ(std::memcmp(&handle, &again, sizeof handle), 0);
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_SUCCESS(hsa_amd_ipc_memory_attach(&handle, 4096, 2, agents_.data(), &first));
  ASSERT_SUCCESS(hsa_amd_ipc_memory_attach(&handle, 4096, 1, &kernel_agent_, &second));
  EXPECT_NE(first, second);
  memory[17] = 5;
  EXPECT_EQ(static_cast<char*>(first)[17], 5);
  EXPECT_EQ(static_cast<char*>(second)[17], 5);
  EXPECT_SUCCESS(hsa_amd_pointer_info_set_userdata(first, memory));
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(static_cast<char*>(first) + 9, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.userData, memory);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(second));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(static_cast<char*>(first)[17], 5);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(first));
}

/// More than the first part of the file that describes shared allocations has room for.
TEST_F(Sharing, ManyAllocationsAtOnce) {
  struct Allocation {
    char* memory;
    hsa_amd_ipc_memory_t handle;
  };
  std::vector<Allocation> shared(5000);
  for (size_t i = 0; i < shared.size(); ++i) {
    shared[i].memory = allocate(host_pool(), 4096);
    std::memcpy(shared[i].memory, &i, sizeof i);
    ASSERT_SUCCESS(hsa_amd_ipc_memory_create(shared[i].memory, 4096, &shared[i].handle)) << i;
  }
  for (size_t i = 0; i < shared.size(); ++i) {
    void* attached = nullptr;
    ASSERT_SUCCESS(hsa_amd_ipc_memory_attach(&shared[i].handle, 4096, 0, nullptr, &attached)) << i;
    size_t seen = 0;
    std::memcpy(&seen, attached, sizeof seen);
    EXPECT_EQ(seen, i);
    ASSERT_SUCCESS(hsa_amd_ipc_memory_detach(attached));
    ASSERT_SUCCESS(hsa_amd_memory_pool_free(shared[i].memory));
  }
}

TEST_F(Sharing, HandleErrors) {
  char* memory = allocate(host_pool(), 10000);
  void* of_region = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 4096, &of_region));
  hsa_amd_ipc_memory_t handle{};
  EXPECT_EQ(hsa_amd_ipc_memory_create(nullptr, 10000, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(memory, 10000, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(memory, 9999, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(memory + 4096, 10000, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(of_region, 4096, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_ipc_memory_create(memory, 12288, &handle));  // what the granule made of it
  ASSERT_SUCCESS(hsa_amd_ipc_memory_create(memory, 10000, &handle));

  void* mapped = nullptr;
  const hsa_agent_t none{0};
  EXPECT_EQ(hsa_amd_ipc_memory_attach(nullptr, 10000, 0, nullptr, &mapped),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 10000, 0, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 10000, 1, nullptr, &mapped),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 10000, 1, &none, &mapped), HSA_STATUS_ERROR_INVALID_AGENT);
  for (size_t size : {size_t{0}, size_t{4096}, size_t{8192}, size_t{12289}})
    EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, size, 0, nullptr, &mapped),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // No word of a handle can be anything else; some of these name files that are not the runtime's.
  for (size_t word = 0; word < 6; ++word)
    for (uint32_t value : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
      hsa_amd_ipc_memory_t wrong = handle;
      if (wrong.handle[word] == value) continue;
      wrong.handle[word] = value;
      EXPECT_EQ(hsa_amd_ipc_memory_attach(&wrong, 10000, 0, nullptr, &mapped),
                HSA_STATUS_ERROR_INVALID_ARGUMENT)
          << word << " " << value;
    }
  EXPECT_EQ(hsa_amd_ipc_memory_detach(memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_detach(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 10000, 0, nullptr, &mapped),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_memory_free(of_region));
}

TEST_F(Sharing, ThreadsShareAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      for (int i = 0; i < 50; ++i) {
        char* memory = allocate(host_pool(), 8192);
        hsa_amd_ipc_memory_t handle{};
        void* mapped = nullptr;
        EXPECT_SUCCESS(hsa_amd_ipc_memory_create(memory, 8192, &handle));
        EXPECT_SUCCESS(hsa_amd_ipc_memory_attach(&handle, 8192, 0, nullptr, &mapped));
        EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
        EXPECT_SUCCESS(hsa_amd_ipc_memory_detach(mapped));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

/// A file in memory, as other software would hand it over.
class Buffer {
 public:
  explicit Buffer(off_t size) : file_(memfd_create("buffer", MFD_CLOEXEC)) {
    EXPECT_EQ(ftruncate(file_, size), 0);
  }
  ~Buffer() { close(file_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  int file() const { return file_; }

 private:
  int file_;
};

TEST_F(Sharing, BuffersOfOtherSoftware) {
  const Buffer buffer(10000);
  size_t size = 0, metadata_size = 77;
  void* memory = nullptr;
  const void* metadata = &size;
  ASSERT_SUCCESS(hsa_amd_interop_map_buffer(2, agents_.data(), buffer.file(), 0, &size, &memory,
                                            &metadata_size, &metadata));
  EXPECT_EQ(size, 10000u);
  EXPECT_EQ(metadata_size, 0u);
  EXPECT_EQ(metadata, nullptr);
  std::memcpy(memory, "heddle", 6);
  char text[6] = {};
  EXPECT_EQ(pread(buffer.file(), text, 6, 0), 6);
  EXPECT_EQ(std::memcmp(text, "heddle", 6), 0);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_GRAPHICS);
  EXPECT_EQ(hsa_amd_ipc_memory_detach(memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(memory));
  EXPECT_EQ(hsa_amd_interop_unmap_buffer(memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_SUCCESS(hsa_amd_interop_map_buffer(1, &host_, buffer.file(), 0, &size, &memory, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(memory));
}

TEST_F(Sharing, BufferErrors) {
  const Buffer buffer(4096), empty(0);
  size_t size = 0;
  void* memory = nullptr;
  hsa_agent_t none{0};
  const auto map = [&](uint32_t count, hsa_agent_t* agents, int file, uint32_t flags, size_t* bytes,
                       void** ptr) {
    return hsa_amd_interop_map_buffer(count, agents, file, flags, bytes, ptr, nullptr, nullptr);
  };
  EXPECT_EQ(map(0, &host_, buffer.file(), 0, &size, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(1, nullptr, buffer.file(), 0, &size, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(1, &host_, buffer.file(), 1, &size, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(1, &host_, buffer.file(), 0, nullptr, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(1, &host_, buffer.file(), 0, &size, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(1, &none, buffer.file(), 0, &size, &memory), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(map(1, &host_, -1, 0, &size, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(map(1, &host_, empty.file(), 0, &size, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_interop_unmap_buffer(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// Where the system makes dma-bufs, one shows the same memory; elsewhere the functions say so.
TEST_F(Sharing, DmaBufs) {
  char* memory = allocate(agent_pool(), 20000);
  bool supported = false;
  ASSERT_SUCCESS(hsa_system_get_info(HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED, &supported));
  EXPECT_EQ(supported, access("/dev/udmabuf", R_OK | W_OK) == 0);
  int dmabuf = -1;
  uint64_t offset = 0;
  const hsa_status_t status = hsa_amd_portable_export_dmabuf(memory + 5000, 100, &dmabuf, &offset);
  if (!supported) {
    EXPECT_EQ(status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    EXPECT_EQ(dmabuf, -1);
  } else {
    ASSERT_EQ(status, HSA_STATUS_SUCCESS);
    EXPECT_EQ(offset, 5000u % 4096);
    size_t size = 0;
    void* mapped = nullptr;
    ASSERT_SUCCESS(hsa_amd_interop_map_buffer(1, &host_, dmabuf, 0, &size, &mapped, nullptr, nullptr));
    memory[5000] = 42;
    EXPECT_EQ(static_cast<char*>(mapped)[offset], 42);
    EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(mapped));
    EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(dmabuf));
  }
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

TEST_F(Sharing, DmaBufErrors) {
  char* memory = allocate(agent_pool(), 4096);
  void* of_region = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 4096, &of_region));
  int dmabuf = -1;
  uint64_t offset = 0;
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(nullptr, 4096, &dmabuf, &offset),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(memory, 0, &dmabuf, &offset), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(memory, 4096, nullptr, &offset),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(memory, 4096, &dmabuf, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(&dmabuf, 4, &dmabuf, &offset),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(memory, 4097, &dmabuf, &offset),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(of_region, 4096, &dmabuf, &offset),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_portable_close_dmabuf(-1), HSA_STATUS_ERROR_RESOURCE_FREE);
  const int file = memfd_create("closed by the runtime", MFD_CLOEXEC);
  EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(file));
  EXPECT_EQ(hsa_amd_portable_close_dmabuf(file), HSA_STATUS_ERROR_RESOURCE_FREE);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  EXPECT_SUCCESS(hsa_memory_free(of_region));
}

TEST(SharingWithoutRuntime, NotInitialized) {
  hsa_amd_ipc_memory_t handle{};
  int dmabuf = -1;
  uint64_t offset = 0;
  size_t size = 0;
  void* memory = nullptr;
  const hsa_status_t statuses[] = {
      hsa_amd_ipc_memory_create(&size, 1, &handle),
      hsa_amd_ipc_memory_attach(&handle, 1, 0, nullptr, &memory),
      hsa_amd_ipc_memory_detach(nullptr),
      hsa_amd_portable_export_dmabuf(&size, 1, &dmabuf, &offset),
      hsa_amd_portable_close_dmabuf(-1),
      hsa_amd_interop_map_buffer(0, nullptr, -1, 0, &size, &memory, nullptr, nullptr),
      hsa_amd_interop_unmap_buffer(nullptr),
  };
  for (hsa_status_t status : statuses) EXPECT_EQ(status, HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
