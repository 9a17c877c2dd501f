// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/code_object.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include "runtime/core/diagnostics.h"

namespace heddle::runtime {

std::shared_ptr<const CodeImage> parse_code_image(std::span<const std::byte> bytes) {
  auto object = codeobject::read(bytes);
  if (!object) {
    report(HSAM_LOG_ERROR, "loader", object.error().print());
    return nullptr;
  }
  auto image = std::make_shared<CodeImage>();
  image->bytes.assign(bytes.begin(), bytes.end());
  image->object = std::move(object).value();
  return image;
}

namespace {

/// Stores the size of a file that can be read, or returns false.
bool size_of(hsa_file_t file, size_t& size) {
  const int flags = fcntl(file, F_GETFL);
  struct stat status;
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  size = static_cast<size_t>(status.st_size);
  return true;
}

}  // namespace

hsa_status_t CodeObjectReader::from_file(hsa_file_t file, std::shared_ptr<CodeObjectReader>& reader) {
  size_t size = 0;
  if (!size_of(file, size)) return HSA_STATUS_ERROR_INVALID_FILE;
  return read_file(file, 0, size, reader);
}

hsa_status_t CodeObjectReader::from_file(hsa_file_t file, size_t offset, size_t size,
                                         std::shared_ptr<CodeObjectReader>& reader) {
  size_t whole = 0;
  if (!size_of(file, whole)) return HSA_STATUS_ERROR_INVALID_FILE;
  if (size == 0 || offset > whole || size > whole - offset) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  return read_file(file, offset, size, reader);
}

hsa_status_t CodeObjectReader::read_file(hsa_file_t file, size_t offset, size_t size,
                                         std::shared_ptr<CodeObjectReader>& reader) {
  auto made = std::make_shared<CodeObjectReader>();
  made->file_contents_.resize(size);
  size_t done = 0;
  // pread leaves the position of the application's file descriptor unchanged.
  while (done < size) {
    const ssize_t got =
        pread(file, made->file_contents_.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return HSA_STATUS_ERROR_INVALID_FILE;
    if (got == 0) break;  // the file was truncated meanwhile
    done += static_cast<size_t>(got);
  }
  made->file_contents_.resize(done);
  made->bytes_ = made->file_contents_;
  reader = std::move(made);
  return HSA_STATUS_SUCCESS;
}

std::shared_ptr<CodeObjectReader> CodeObjectReader::from_memory(const void* data, size_t size) {
  auto reader = std::make_shared<CodeObjectReader>();
  reader->bytes_ = {static_cast<const std::byte*>(data), size};
  return reader;
}

}  // namespace heddle::runtime
