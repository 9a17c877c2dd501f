// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code goes to the process in a file, because it may be longer than messages can be.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "agents/cuda/remote/more_stubs.h"
#include "agents/cuda/remote/request.h"

namespace heddle::cuda::remote {
namespace {

std::atomic<uint64_t> last_image{0};

/// Gives the process the text, and returns its number there.
Status send_image(Connection& connection, const char* text, uint64_t* image) {
  const size_t size = std::strlen(text) + 1;
  const SharedPages pages = SharedPages::create(size);
  if (!pages) return Status::out_of_memory;
  std::memcpy(pages.base(), text, size);
  *image = ++last_image;
  Writer request;
  request.put(Control::image);
  request.put(*image);
  request.put(uint64_t{size});
  return connection.control(request.bytes(), pages.file());
}

/// Where the options say that a log is to be written.
struct Log {
  char* buffer = nullptr;
  size_t size = 0;

  void write(const std::string& text) const {
    if (!buffer || size == 0) return;
    const size_t length = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
};

/// Writes the options that are numbers, and notes the buffers of the logs.
void put_options(Request& request, unsigned count, const JitOption* options, void* const* values,
                 Log (&logs)[2]) {
  Writer numbers;
  uint64_t written = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<uint64_t>(values[i]);
    switch (options[i]) {
      case JitOption::info_log_buffer:
      case JitOption::error_log_buffer:
        logs[options[i] == JitOption::error_log_buffer].buffer = static_cast<char*>(values[i]);
        break;
      case JitOption::info_log_size:
      case JitOption::error_log_size:
        logs[options[i] == JitOption::error_log_size].size = number;
        break;
      default:
        numbers.put(options[i]);
        numbers.put(number);
        ++written;
    }
  }
  request.put(written);
  request.put_written(numbers);
}

}  // namespace

Status load_module(void* target, Module* out, const void* image, unsigned count, JitOption* options,
                   void** values) try {
  Request request(*static_cast<RemoteDriver*>(target), FunctionId::module_load);
  if (request.problem() != Status::success) return request.problem();
  uint64_t number = 0;
  const Status sent = send_image(*request.connection(), static_cast<const char*>(image), &number);
  if (sent != Status::success) return sent;
  Log logs[2];
  request.put(number);
  put_options(request, count, options, values, logs);
  return request.call([&](Reader& answer) {
    request.store(answer, out);
    for (const Log& log : logs) log.write(answer.take_text());
  });
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

}  // namespace heddle::cuda::remote
