// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/code_object_writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "runtime/core/diagnostics.h"

namespace heddle::runtime {

namespace {

class FileWriter final : public CodeObjectWriter {
 public:
  explicit FileWriter(hsa_file_t file) : file_(file) {}

  hsa_status_t write(std::span<const std::byte> bytes) override {
    if (ftruncate(file_, 0) != 0) return failed();
    size_t done = 0;
    // pwrite leaves the position of the application's file descriptor unchanged.
    while (done < bytes.size()) {
      const ssize_t put = pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return failed();
      done += static_cast<size_t>(put);
    }
    return HSA_STATUS_SUCCESS;
  }

 private:
  static hsa_status_t failed() {
    report_error("finalizer", "cannot write the code object: {}", std::strerror(errno));
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }

  const hsa_file_t file_;
};

class MemoryWriter final : public CodeObjectWriter {
 public:
  MemoryWriter(Allocate allocate, void* data) : allocate_(allocate), data_(data) {}

  hsa_status_t write(std::span<const std::byte> bytes) override {
    constexpr size_t alignment = 4096;  // of an ELF file's segments
    void* address = nullptr;
    const hsa_status_t status = allocate_(bytes.size(), alignment, &address, data_);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (address == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::memcpy(address, bytes.data(), bytes.size());
    return HSA_STATUS_SUCCESS;
  }

 private:
  const Allocate allocate_;
  void* const data_;
};

}  // namespace

hsa_status_t CodeObjectWriter::to_file(hsa_file_t file, std::shared_ptr<CodeObjectWriter>& writer) {
  const int flags = fcntl(file, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || ftruncate(file, 0) != 0)
    return HSA_STATUS_ERROR_INVALID_FILE;
  writer = std::make_shared<FileWriter>(file);
  return HSA_STATUS_SUCCESS;
}

std::shared_ptr<CodeObjectWriter> CodeObjectWriter::to_memory(Allocate allocate, void* data) {
  return std::make_shared<MemoryWriter>(allocate, data);
}

}  // namespace heddle::runtime
