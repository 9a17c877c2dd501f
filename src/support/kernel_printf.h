// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What printf in kernels leaves behind, as text. Kernels of OpenCL C and HIP put records into a buffer of the
// host (docs/device-libraries.md, "printf"); here they are read. All functions accept any bytes and are
// thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The names of the variables that a program with printf has in each of its modules: the address of the
/// buffer, 0 until the host stores one; and the formats.
inline constexpr std::string_view printf_buffer_variable = "&__heddle_printf_buffer";
inline constexpr std::string_view printf_formats_variable = "&__heddle_printf_formats";

/// The beginning of the buffer; records follow. The host clears the fields and sets `capacity` before it
/// dispatches, and reads the records when no kernel that may print is running. The buffer must be aligned to
/// 8 bytes and must not be larger than 4 GiB.
struct PrintfBufferHeader {
  uint32_t capacity;  ///< bytes after this header
  uint32_t used;      ///< bytes that the records take, never more than `capacity`
  uint32_t lost;      ///< calls of printf for which there was no room
  uint32_t aborted;   ///< not 0 if a kernel of HIP has called abort
};

/// The formats of one module.
class PrintfFormats {
 public:
  /// Reads the contents of the variable `printf_formats_variable`: strings, each with a NUL at its end.
  /// Strings that are no format are ignored: records that need them are reported as unknown.
  explicit PrintfFormats(std::string_view contents);

  struct Format {
    std::string text;
    std::vector<uint32_t> sizes;  ///< bytes of each argument in a record of OpenCL C
  };
  const Format* by_number(uint32_t number) const;
  const Format* by_hash(uint64_t hash) const;

 private:
  void add(std::string_view entry);

  std::map<uint32_t, Format> numbered_;  // of OpenCL C
  std::map<uint64_t, Format> hashed_;    // of HIP
};

struct PrintfText {
  std::string text;
  unsigned malformed =
      0;  ///< records with an unknown format, or without all arguments that their formats need
};

/// Formats the records in the order in which they are in the buffer, as C's printf does, with the vectors of
/// OpenCL C 6.15.14. `buffer` begins with the header; what the fields of the header say beyond its end is
/// ignored.
PrintfText printf_text(std::span<const std::byte> buffer, const PrintfFormats& formats);

}  // namespace heddle
