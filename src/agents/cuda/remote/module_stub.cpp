// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code goes to the process in a file, because it may be longer than messages can be.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "agents/cuda/remote/more_stubs.h"
#include "agents/cuda/remote/stub_parts.h"

namespace heddle::cuda::remote {
namespace {

std::atomic<uint64_t> last_image{0};

/// Sends the process memory that belongs to the number of an image there.
Status send_pages(Connection& connection, Control what, uint64_t image, const SharedPages& pages,
                  size_t size) {
  Writer request;
  request.put(what);
  request.put(image);
  request.put(uint64_t{size});
  return connection.control(request.bytes(), pages.file());
}

/// Gives the process code, and returns its number there.
Status send_image(Connection& connection, const void* code, size_t size, uint64_t* image) {
  const SharedPages pages = SharedPages::create(size);
  if (!pages) return Status::out_of_memory;
  std::memcpy(pages.base(), code, size);
  *image = ++last_image;
  return send_pages(connection, Control::image, *image, pages, size);
}

Status send_text(Connection& connection, const char* text, uint64_t* image) {
  return send_image(connection, text, std::strlen(text) + 1, image);
}

/// Fetches the machine code that the process has made of an image.
Status fetch_cubin(Connection& connection, uint64_t image, size_t size, std::vector<std::byte>& cubin) {
  const SharedPages pages = SharedPages::create(size);
  // Without memory the process is told, too, so that it forgets the machine code.
  const Status status = send_pages(connection, Control::cubin, image, pages, size);
  if (status != Status::success) return status;
  const auto* bytes = static_cast<const std::byte*>(pages.base());
  cubin.assign(bytes, bytes + size);
  return Status::success;
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
                   void** values) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::module_load);
    if (request.problem() != Status::success) return request.problem();
    uint64_t number = 0;
    const Status sent = send_text(*request.connection(), static_cast<const char*>(image), &number);
    if (sent != Status::success) return sent;
    Log logs[2];
    request.put(number);
    put_options(request, count, options, values, logs);
    return request.call([&](Reader& answer) {
      request.store(answer, out);
      for (const Log& log : logs) log.write(answer.take_text());
    });
  });
}

Status compile(void* target, std::vector<std::byte>* cubin, const char* text, unsigned count,
               const JitOption* options, void** values) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::compile);
    if (request.problem() != Status::success) return request.problem();
    uint64_t image = 0, size = 0;
    const Status sent = send_text(*request.connection(), text, &image);
    if (sent != Status::success) return sent;
    Log logs[2];
    request.put(image);
    put_options(request, count, options, values, logs);
    const Status status = request.call([&](Reader& answer) {
      size = answer.take<uint64_t>();
      for (const Log& log : logs) log.write(answer.take_text());
    });
    return status == Status::success ? fetch_cubin(*request.connection(), image, size, *cubin) : status;
  });
}

Status load_cubin(void* target, Module* out, const void* cubin, size_t size) {
  return guarded([&] {
    Request request(driver_of(target), FunctionId::load_cubin);
    if (request.problem() != Status::success) return request.problem();
    uint64_t image = 0;
    const Status sent = send_image(*request.connection(), cubin, size, &image);
    if (sent != Status::success) return sent;
    request.put(image);
    request.put(uint64_t{size});
    return request.call([&](Reader& answer) { request.store(answer, out); });
  });
}

}  // namespace heddle::cuda::remote
