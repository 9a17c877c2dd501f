// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instruction_kernel.h"

#include <fmt/format.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"

namespace heddle::testing {
namespace {

/// Registers 0 to 9 of each kind are for addresses and scratch.
constexpr unsigned first_register = 10;

class Generator {
 public:
  explicit Generator(const isa::Mnemonic& mnemonic, const std::vector<std::string>& constants)
      : mnemonic_(mnemonic), constants_(constants) {}

  bool run(InstructionKernel& kernel, std::string& why) {
    for (const isa::Operand& operand : isa::operands(*mnemonic_.variant)) {
      const isa::Type type = isa::operand_type(operand, mnemonic_.fields);
      const unsigned count = isa::operand_elements(operand, mnemonic_.fields);
      std::string text;
      for (unsigned i = 0; i < count; ++i) {
        std::string element;
        switch (operand.kind) {
          case isa::OperandKind::destination: element = destination(kernel, type); break;
          case isa::OperandKind::source:
          case isa::OperandKind::source_register: element = source(kernel, type); break;
          case isa::OperandKind::constant:
            if (next_constant_ >= constants_.size()) {
              why = "needs a constant";
              return false;
            }
            element = constants_[next_constant_++];
            break;
          default: why = "has operands that are neither registers nor constants"; return false;
        }
        text += (text.empty() ? "" : ", ") + element;
      }
      if (count > 1) text = "(" + text + ")";
      operands_ += (operands_.empty() ? " " : ", ") + text;
    }
    return true;
  }

  std::string text(std::string_view name, std::string_view mnemonic, const InstructionKernel& kernel) const {
    std::string formals = "kernarg_u64 %out";
    for (size_t i = 0; i < kernel.sources.size(); ++i) formals += fmt::format(", kernarg_u64 %in{}", i);
    return fmt::format(
        "prog kernel {}({})\n{{\n"
        "  workitemabsid_u32 $s0, 0;\n"
        "  cvt_u64_u32 $d0, $s0;\n"
        "  mul_u64 $d1, $d0, {};\n"
        "  ld_kernarg_u64 $d2, [%out];\n"
        "  add_u64 $d2, $d2, $d1;\n"
        "  mul_u64 $d1, $d0, 16;\n"
        "{}"
        "  {}{};\n"
        "{}"
        "  ret;\n}};\n",
        name, formals, 16 * kernel.destinations.size(), loads_, mnemonic, operands_, stores_);
  }

 private:
  std::string fresh(isa::Type type) {
    const unsigned kind = *isa::register_kind(type);
    return fmt::format("${}{}", isa::register_letter(kind), first_register + used_[kind]++);
  }

  /// Whole registers are moved, so that what instructions must ignore in them can be garbage.
  static std::string load(const std::string& name, const std::string& address) {
    switch (name[1]) {
      case 'c':
        return fmt::format("  ld_global_u32 $s1, [{0}];\n  and_b32 $s1, $s1, 1;\n  cmp_ne_b1_u32 {1}, $s1, 0;\n", address,
                           name);
      case 's': return fmt::format("  ld_global_u32 {}, [{}];\n", name, address);
      case 'd': return fmt::format("  ld_global_u64 {}, [{}];\n", name, address);
      default: return fmt::format("  ld_global_b128 {}, [{}];\n", name, address);
    }
  }
  static std::string store(const std::string& name, const std::string& address) {
    switch (name[1]) {
      case 'c': return fmt::format("  cvt_u32_b1 $s1, {};\n  st_global_u32 $s1, [{}];\n", name, address);
      case 's': return fmt::format("  st_global_u32 {}, [{}];\n", name, address);
      case 'd': return fmt::format("  st_global_u64 {}, [{}];\n", name, address);
      default: return fmt::format("  st_global_b128 {}, [{}];\n", name, address);
    }
  }

  std::string destination(InstructionKernel& kernel, isa::Type type) {
    const std::string name = fresh(type);
    const std::string address = fmt::format("$d2+{}", 16 * kernel.destinations.size());
    loads_ += load(name, address);
    stores_ += store(name, address);
    kernel.destinations.push_back(type);
    return name;
  }

  std::string source(InstructionKernel& kernel, isa::Type type) {
    const std::string name = fresh(type);
    loads_ += fmt::format("  ld_kernarg_u64 $d3, [%in{}];\n  add_u64 $d3, $d3, $d1;\n", kernel.sources.size());
    loads_ += load(name, "$d3");
    kernel.sources.push_back({type});
    return name;
  }

  const isa::Mnemonic& mnemonic_;
  const std::vector<std::string>& constants_;
  size_t next_constant_ = 0;
  unsigned used_[4] = {};
  std::string operands_, loads_, stores_;
};

}  // namespace

std::optional<InstructionKernel> instruction_kernel(std::string_view mnemonic,
                                                    const std::vector<std::string>& constants, std::string* why,
                                                    std::string_view name) {
  std::string reason;
  auto parsed = isa::parse_mnemonic(mnemonic);
  if (!parsed) {
    if (why != nullptr) *why = parsed.error().message;
    return std::nullopt;
  }
  InstructionKernel kernel;
  kernel.mnemonic = *parsed;
  Generator generator(kernel.mnemonic, constants);
  if (!generator.run(kernel, reason)) {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  }
  kernel.text = generator.text(name, mnemonic, kernel);
  return kernel;
}

}  // namespace heddle::testing
