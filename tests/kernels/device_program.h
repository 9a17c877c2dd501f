// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the command has compiled, loaded on an agent, and what they print.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel_agents.h"
#include "support/kernel_printf.h"
#include "tools/toolchain.h"

namespace heddle::testing {

/// Arguments of a kernel, in their order.
class Arguments {
 public:
  template <typename T>
  Arguments& add(const T& value) {
    const size_t at = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class DeviceProgram {
 public:
  DeviceProgram(const tools::KernelAgent& agent, const std::string& brig_file);

  /// Runs a kernel, with so many bytes of group memory besides those of its variables. Returns whether it
  /// ended without an error.
  bool run(const std::string& kernel, const Arguments& arguments, tools::Extent grid, tools::Extent group,
           uint32_t group_memory = 0);
  bool is_loaded() const { return program_ != nullptr; }
  const tools::LoadedProgram& loaded() const { return *program_; }
  const tools::KernelAgent& agent() const { return agent_; }

 private:
  void load(const std::string& brig_file);

  const tools::KernelAgent& agent_;
  tools::Blob code_;
  std::unique_ptr<tools::LoadedProgram> program_;
};

/// An array that the host and the kernels see.
template <typename T>
class Array {
 public:
  Array(const DeviceProgram& program, size_t size, T value = T{})
      : memory_(*tools::Memory::allocate(program.agent().memory, size * sizeof(T))), size_(size) {
    std::fill_n(data(), size, value);
  }
  T* data() const { return static_cast<T*>(memory_.address()); }
  T& operator[](size_t i) const { return data()[i]; }
  size_t size() const { return size_; }

 private:
  tools::Memory memory_;
  size_t size_;
};

/// The buffer of a program's printf, for `capacity` bytes of records.
class PrintedText {
 public:
  PrintedText(const DeviceProgram& program, uint32_t capacity);

  PrintfText text() const;
  uint32_t lost() const;
  /// Whether the bytes behind the capacity are as they were.
  bool is_intact() const;

 private:
  tools::Memory memory_;
  size_t size_;  // of header and records
  std::string formats_;
};

}  // namespace heddle::testing
