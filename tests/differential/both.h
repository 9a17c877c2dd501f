// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "support/guarded_buffer.h"

/// Runs the same HSAIL text with the interpreter and as compiled code.
namespace heddle::testing {

/// Returns the ISAs with waves of one work-item that this CPU executes, the newest first.
const std::vector<const char*>& host_isas();
inline const char* host_isa() { return host_isas().front(); }

/// One way to compile for waves of several work-items.
struct WaveTarget {
  const char* isa = nullptr;
  uint32_t lanes = 1;
  const char* options = nullptr;
};

/// Returns the ways to compile for waves that this CPU executes, with row bodies and without.
const std::vector<WaveTarget>& wave_targets();
/// Returns one of wave_targets(), or nothing if there is none. Tests that are too long for all of them take
/// them in turn.
std::optional<WaveTarget> wave_target(uint64_t turn);

/// Assembles and finalizes the text, for host_isa() or another ISA. Returns nothing if that fails, with the
/// diagnostics in `why`.
std::optional<codeobject::CodeObject> compile(const std::string& text, std::string& why,
                                              const char* isa = nullptr, const char* options = nullptr);

/// A copy of data that compiled code works on. An access beyond its begin or end faults.
template <typename T>
class GuardedCopy {
 public:
  GuardedCopy(std::span<const T> data, GuardedBuffer::Guard guard) : buffer_(data.size_bytes(), guard) {
    std::memcpy(buffer_.data(), data.data(), data.size_bytes());
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  std::vector<T> values() const { return {data(), data() + buffer_.size() / sizeof(T)}; }

 private:
  const GuardedBuffer buffer_;
};

/// Runs every kernel of the module with the interpreter and as compiled code, for host_isa() and for waves,
/// each on its own copy of `data`, and expects the same data afterwards. Kernels have one argument, the
/// address of the data; work-items must not wait for each other. Compiled code runs once with an inaccessible
/// page before the data, and once with one behind it.
void expect_same(const std::string& text, const std::vector<std::string>& kernels,
                 const std::vector<uint64_t>& data, uint32_t grid, uint32_t group);
/// The same for code that is compiled in one way.
void expect_same(const std::string& text, const std::vector<std::string>& kernels,
                 const std::vector<uint64_t>& data, uint32_t grid, uint32_t group, const WaveTarget& target);

}  // namespace heddle::testing
