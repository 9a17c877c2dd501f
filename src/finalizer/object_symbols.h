// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::finalizer {

/// Maps the symbols of a program to their indices in its code object, so that no two lists need the same
/// order.
class ObjectSymbols {
 public:
  /// Makes the map of a program with `symbols` symbols, none of which is in the code object yet.
  explicit ObjectSymbols(size_t symbols) : index_(symbols, absent) {}

  /// `index` is one in CodeObject::variables, kernels or functions, depending on the kind of the symbol.
  void add(int32_t symbol, size_t index) {
    assert(index_.at(static_cast<size_t>(symbol)) == absent && "a symbol stands in the code object once");
    index_[static_cast<size_t>(symbol)] = static_cast<uint32_t>(index);
  }

  /// Returns nothing if the code object does not have the symbol.
  std::optional<uint32_t> find(int32_t symbol) const {
    const uint32_t index = index_.at(static_cast<size_t>(symbol));
    return index == absent ? std::nullopt : std::optional(index);
  }

  /// Returns the index of a symbol that the code object has.
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
