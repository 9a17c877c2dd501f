// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dma-bufs of memory. Few machines have the device that makes them (/dev/udmabuf), so this program replaces
// functions of the C library and plays it: it refuses what Linux refuses, and its dma-bufs show the pages of
// the files they are made of. They keep those pages if the file loses them.
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "amd/pools.h"

namespace heddle::runtime::test {
namespace {

constexpr uint64_t page = 4096;

int call(long number, long a, long b = 0, long c = 0, long d = 0) {
  return static_cast<int>(syscall(number, a, b, c, d));
}

/// The part of a file that a dma-buf shows.
struct Part {
  int file = -1;
  uint64_t offset = 0, size = 0;
};

struct stat status_of(int file) {
  struct stat status = {};
  call(SYS_fstat, file, reinterpret_cast<long>(&status));
  return status;
}

/// The device, and the dma-bufs that it has made. They are descriptors of the file that was passed to it.
class Device {
 public:
  static Device& instance() {
    static Device& device = *new Device;
    return device;
  }
  void set_present(bool present) {
    std::lock_guard lock(mutex_);
    present_ = present;
  }

  /// Returns a descriptor of the device; -1 with errno if there is none.
  int open() {
    std::lock_guard lock(mutex_);
    if (!present_) return fail(ENOENT);
    const int number = call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/dev/null"), O_RDWR | O_CLOEXEC);
    devices_.insert(number);
    return number;
  }
  bool is_device(int number) {
    std::lock_guard lock(mutex_);
    return devices_.contains(number);
  }

  /// Makes a dma-buf of a file in memory that cannot shrink and can be written, and of whole pages.
  int create(const udmabuf_create& wanted) {
    const auto file = static_cast<int>(wanted.memfd);
    const int seals = call(SYS_fcntl, file, F_GET_SEALS);
    if (seals < 0) return -1;
    if ((seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_WRITE) != 0) return fail(EINVAL);
    if (wanted.flags != UDMABUF_FLAGS_CLOEXEC || wanted.size == 0) return fail(EINVAL);
    if (wanted.offset % page != 0 || wanted.size % page != 0) return fail(EINVAL);
    if (wanted.offset + wanted.size > static_cast<uint64_t>(status_of(file).st_size)) return fail(EINVAL);
    const int made = call(SYS_fcntl, file, F_DUPFD_CLOEXEC, 0);
    std::lock_guard lock(mutex_);
    if (made >= 0) buffers_[made] = {made, wanted.offset, wanted.size};
    return made;
  }
  /// Returns the part that a dma-buf shows; of size 0 if the number is none.
  Part buffer(int number) {
    std::lock_guard lock(mutex_);
    const auto found = buffers_.find(number);
    return found == buffers_.end() ? Part{} : found->second;
  }
  /// To be called before a file loses pages: dma-bufs that have some of them keep theirs, in a file of their
  /// own.
  void keep_pages(int file, uint64_t offset, uint64_t size) {
    std::lock_guard lock(mutex_);
    for (auto& [number, part] : buffers_) {
      if (status_of(part.file).st_ino != status_of(file).st_ino || part.offset >= offset + size ||
          offset >= part.offset + part.size)
        continue;
      std::vector<char> bytes(part.size);
      const auto length = static_cast<ssize_t>(part.size);
      const int own = memfd_create("pages", MFD_CLOEXEC);
      EXPECT_EQ(pread(part.file, bytes.data(), part.size, static_cast<off_t>(part.offset)), length);
      EXPECT_EQ(pwrite(own, bytes.data(), part.size, 0), length);
      part = {own, 0, part.size};
    }
  }
  void forget(int number) {
    std::lock_guard lock(mutex_);
    devices_.erase(number);
    const auto found = buffers_.find(number);
    if (found == buffers_.end()) return;
    if (found->second.file != number) call(SYS_close, found->second.file);
    buffers_.erase(found);
  }

 private:
  static int fail(int error) {
    errno = error;
    return -1;
  }

  std::mutex mutex_;
  bool present_ = true;
  std::set<int> devices_;        // descriptors of the device
  std::map<int, Part> buffers_;  // by descriptor
};

using DmaBuf = Pools;

struct Export {
  int file = -1;
  uint64_t offset = 0;
};
Export export_of(const void* memory, size_t size) {
  Export made;
  EXPECT_SUCCESS(hsa_amd_portable_export_dmabuf(memory, size, &made.file, &made.offset));
  return made;
}

bool is_supported() {
  bool supported = false;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED, &supported));
  return supported;
}

TEST_F(DmaBuf, ShowsTheMemory) {
  EXPECT_TRUE(is_supported());
  for (const hsa_amd_memory_pool_t pool : {agent_pool(), host_pool()}) {
    char* memory = allocate(pool, 20000);
    const Export made = export_of(memory + 5000, 6000);
    EXPECT_EQ(made.offset, 5000 % page);
    size_t size = 0;
    void* mapped = nullptr;
    ASSERT_SUCCESS(hsa_amd_interop_map_buffer(1, &host_, made.file, 0, &size, &mapped, nullptr, nullptr));
    EXPECT_EQ(size, 2 * page);  // those of the 6000 bytes
    char* shown = static_cast<char*>(mapped) + made.offset;
    std::memset(memory + 5000, 42, 6000);
    EXPECT_EQ(std::memcmp(shown, memory + 5000, 6000), 0);
    shown[5999] = 7;
    EXPECT_EQ(memory[10999], 7);
    EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(mapped));
    EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(made.file));
    EXPECT_EQ(hsa_amd_portable_close_dmabuf(made.file), HSA_STATUS_ERROR_RESOURCE_FREE);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  }
}

/// Whoever got the descriptor has the pages as long as it is open. They serve no other allocation.
TEST_F(DmaBuf, OutlivesTheAllocation) {
  char* memory = allocate(agent_pool(), 3 * page);
  std::memset(memory, 1, 3 * page);
  const Export made = export_of(memory, 3 * page);
  EXPECT_EQ(made.offset, 0u);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  std::vector<char*> others;
  for (int i = 0; i < 64; ++i) {
    others.push_back(allocate(agent_pool(), 3 * page));
    std::memset(others.back(), 2, 3 * page);
  }
  size_t size = 0;
  void* mapped = nullptr;
  ASSERT_SUCCESS(hsa_amd_interop_map_buffer(1, &host_, made.file, 0, &size, &mapped, nullptr, nullptr));
  EXPECT_EQ(size, 3 * page);
  EXPECT_EQ(static_cast<char*>(mapped)[0], 1);
  EXPECT_EQ(static_cast<char*>(mapped)[3 * page - 1], 1);
  EXPECT_SUCCESS(hsa_amd_interop_unmap_buffer(mapped));
  EXPECT_SUCCESS(hsa_amd_portable_close_dmabuf(made.file));
  for (char* other : others) EXPECT_SUCCESS(hsa_amd_memory_pool_free(other));
}

TEST_F(DmaBuf, WithoutADeviceThereIsNone) {
  char* memory = allocate(agent_pool(), page);
  Device::instance().set_present(false);
  EXPECT_FALSE(is_supported());
  Export made;
  EXPECT_EQ(hsa_amd_portable_export_dmabuf(memory, page, &made.file, &made.offset),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(made.file, -1);
  Device::instance().set_present(true);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
}

}  // namespace
}  // namespace heddle::runtime::test

using heddle::runtime::test::call;
using heddle::runtime::test::Device;

// The C library's functions are called by number, because those of the program have their names.
extern "C" {
#define HEDDLE_REPLACES __attribute__((visibility("default")))

HEDDLE_REPLACES int open(const char* path, int flags, ...) {
  if (std::string_view(path) == "/dev/udmabuf") return Device::instance().open();
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags, mode);
}
HEDDLE_REPLACES int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  const long argument = va_arg(rest, long);
  va_end(rest);
  if (request == UDMABUF_CREATE && Device::instance().is_device(file))
    return Device::instance().create(*reinterpret_cast<const udmabuf_create*>(argument));
  return call(SYS_ioctl, file, static_cast<long>(request), argument);
}
HEDDLE_REPLACES void* mmap(void* address, size_t size, int protection, int flags, int file,
                           off_t offset) noexcept {
  const auto part = Device::instance().buffer(file);
  if (part.size != 0 && static_cast<uint64_t>(offset) + size > part.size) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags,
                                         part.size != 0 ? part.file : file,
                                         offset + static_cast<off_t>(part.offset)));
}
HEDDLE_REPLACES int fstat(int file, struct stat* status) noexcept {
  const int result = call(SYS_fstat, file, reinterpret_cast<long>(status));
  const auto part = Device::instance().buffer(file);
  if (result == 0 && part.size != 0) status->st_size = static_cast<off_t>(part.size);
  return result;
}
HEDDLE_REPLACES int fallocate(int file, int mode, off_t offset, off_t size) {
  if ((mode & FALLOC_FL_PUNCH_HOLE) != 0)
    Device::instance().keep_pages(file, static_cast<uint64_t>(offset), static_cast<uint64_t>(size));
  return call(SYS_fallocate, file, mode, offset, size);
}
HEDDLE_REPLACES int close(int file) {
  Device::instance().forget(file);
  return call(SYS_close, file);
}
}
