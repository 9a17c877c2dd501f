// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One conversion of a format of printf, such as %-5.2f or OpenCL C's %v4hlf (OpenCL C 6.15.14), and the text
// that it makes of a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

class PrintfConversion {
 public:
  /// A width or precision.
  struct Size {
    bool is_argument = false;  ///< `*`
    std::optional<int> value;
  };

  /// Removes a conversion from the beginning of the format, which begins with a percent sign. Returns
  /// nothing, and removes nothing, if there is none that C or OpenCL C know.
  static std::optional<PrintfConversion> take(std::string_view& format);

  bool is_string() const { return conversion_ == 's'; }
  std::string of_string(std::string_view string) const;

  /// Appends the text for a value, or for all elements of a vector with commas between them. `bytes` hold it
  /// in little-endian order, and perhaps more than it needs; returns false if they are too few.
  bool append(std::string& text, std::span<const std::byte> bytes) const;

  /// Sets `width` or `precision` to the value of an argument, which C gives a meaning if it is negative.
  void set(Size& size, int value);

  Size width;
  Size precision;

 private:
  enum class Length { none, hh, h, hl, l, ll };
  static std::optional<Size> take_size(std::string_view& rest);
  static Length take_length(std::string_view& rest);
  bool is_float() const;
  bool append_element(std::string& text, std::span<const std::byte> bytes) const;
  size_t element_size(size_t available) const;
  std::string specification(std::string_view length) const;

  std::string flags_;
  unsigned elements_ = 0;  // of a vector; 0 for scalars
  Length length_ = Length::none;
  char conversion_ = 0;
};

}  // namespace heddle
