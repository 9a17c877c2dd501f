// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/trace_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "driver/log.h"
#include "runtime/trace/json_sink.h"
#include "runtime/trace/perfetto_sink.h"

namespace heddle::runtime::trace {

TraceFile::TraceFile(Format format, uint32_t process) {
  if (format == Format::json)
    sink_ = std::make_unique<JsonSink>(process);
  else
    sink_ = std::make_unique<PerfettoSink>(process);
}

TraceFile::~TraceFile() {
  if (file_ >= 0) close(file_);
}

bool TraceFile::open(const std::string& path) {
  path_ = path;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) return false;
  write();  // a trace without events is a trace, too
  return true;
}

bool TraceFile::write_at_end(std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return true;
}

void TraceFile::write() {
  std::string bytes = sink_->take_bytes();
  if (file_ < 0) return;
  const size_t size = bytes.size();
  bytes += sink_->ending();
  if (write_at_end(bytes, size_)) {
    size_ += size;
    return;
  }
  driver::log_error("the trace ends here, because {} cannot be written: {}", path_, std::strerror(errno));
  close(file_);
  file_ = -1;
}

void TraceFile::forget_parent() noexcept {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

}  // namespace heddle::runtime::trace
