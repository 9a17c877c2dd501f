// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/trace/sink.h"

namespace heddle::runtime::trace {

enum class Format : uint8_t { json, perfetto };

/// A file of a trace. After each write it is complete, so that a process that ends without warning loses only
/// what had not been written.
class TraceFile {
 public:
  TraceFile(Format format, uint32_t process);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Creates the file, or empties it. False, with errno, if that is impossible.
  bool open(const std::string& path);
  Sink& sink() { return *sink_; }
  /// Writes what the sink has. A failure is an error in the log, after which nothing is written.
  void write();
  /// Closes the file in the child of a fork, which must not write to it.
  void forget_parent() noexcept;

 private:
  bool write_at_end(std::string_view bytes, uint64_t offset);

  std::unique_ptr<Sink> sink_;
  std::string path_;
  int file_ = -1;
  uint64_t size_ = 0;  ///< without the ending
};

}  // namespace heddle::runtime::trace
