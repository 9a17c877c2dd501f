// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "hsail/brig/operands.h"

namespace heddle::brig {

/// Typed access to the operands of a pragma (PRM 13.4). Each accessor returns nothing if the operand is
/// missing or of another kind. An entry that is not a pragma has no operands.
class PragmaOperands {
 public:
  PragmaOperands(const Module& module, Offset entry) : module_(module) {
    if (module.code_kind(entry) == HSA_BRIG_KIND_DIRECTIVE_PRAGMA)
      list_ = module.offsets(module.code_as<hsa_brig_directive_pragma_t>(entry).operands);
  }
  size_t size() const { return list_.size(); }
  std::optional<std::string_view> string(size_t index) const {
    if (!is(index, HSA_BRIG_KIND_OPERAND_STRING)) return std::nullopt;
    return module_.string(module_.operand_as<hsa_brig_operand_string_t>(list_[index]).string);
  }
  std::optional<uint64_t> number(size_t index) const {
    if (!is(index, HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES)) return std::nullopt;
    const isa::Type type = constant_type(module_, list_[index]);
    if (isa::is_packed(type) || isa::is_float(type) || isa::bit_size(type) > 64) return std::nullopt;
    return integer_value(module_, list_[index]);
  }
  std::optional<Register> reg(size_t index) const {
    if (!is(index, HSA_BRIG_KIND_OPERAND_REGISTER)) return std::nullopt;
    return register_of(module_, list_[index]);
  }
  /// Returns the directive that an identifier refers to.
  std::optional<Offset> directive(size_t index) const {
    if (!is(index, HSA_BRIG_KIND_OPERAND_CODE_REF)) return std::nullopt;
    return code_ref(module_, list_[index]);
  }
  bool begin_with(std::string_view name, size_t tag, std::string_view value) const {
    return string(0) == name && string(tag) == value;
  }

 private:
  bool is(size_t index, unsigned kind) const {
    return index < list_.size() && operand_kind(module_, list_[index]) == kind;
  }
  const Module& module_;
  std::span<const Offset> list_;
};

}  // namespace heddle::brig
