// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::finalizer {

/// Where the symbols of a program stand in its code object. Whoever has something to say about a kernel,
/// function or variable of the code object finds it here; no list has to have the order of another one.
class ObjectSymbols {
 public:
  /// For a program with that many symbols, none of which stands in the code object yet.
  explicit ObjectSymbols(size_t symbols) : index_(symbols, absent) {}

  /// `index` counts in CodeObject::variables, kernels or functions, by the kind of the symbol.
  void add(int32_t symbol, size_t index) {
    assert(index_.at(static_cast<size_t>(symbol)) == absent && "a symbol stands in the code object once");
    index_[static_cast<size_t>(symbol)] = static_cast<uint32_t>(index);
  }

  /// None if the code object does not have the symbol.
  std::optional<uint32_t> find(int32_t symbol) const {
    const uint32_t index = index_.at(static_cast<size_t>(symbol));
    return index == absent ? std::nullopt : std::optional(index);
  }

  /// Of a symbol that the code object has.
  uint32_t operator[](int32_t symbol) const {
    const uint32_t index = index_.at(static_cast<size_t>(symbol));
    assert(index != absent);
    return index;
  }

 private:
  static constexpr uint32_t absent = UINT32_MAX;
  std::vector<uint32_t> index_;  // by symbol, as in link::Program::symbols()
};

}  // namespace heddle::finalizer
