// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instruction_kernel.h"

#include <cassert>

#include <fmt/format.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"

namespace heddle::testing {
namespace {

/// Registers 0 to 9 of each kind are reserved for addresses and temporary values.
constexpr unsigned first_register = 10;

class Generator {
 public:
  explicit Generator(bool detect) : detect_(detect) {}

  void load_sources(const std::vector<isa::Type>& types) {
    for (isa::Type type : types) {
      const std::string name = fresh(type);
      body_ += fmt::format("  ld_kernarg_u64 $d3, [%in{}];\n  add_u64 $d3, $d3, $d1;\n", sources_.size());
      body_ += load(name, "$d3");
      sources_.push_back(name);
    }
  }

  void step(const Step& step) {
    size_t next_source = 0, next_constant = 0;
    std::string operands, stores;
    for (const isa::Operand& operand : isa::operands(*step.mnemonic.variant)) {
      const isa::Type type = isa::operand_type(operand, step.mnemonic.fields);
      const unsigned count = isa::operand_elements(operand, step.mnemonic.fields);
      std::string text;
      for (unsigned i = 0; i < count; ++i) {
        std::string element;
        switch (operand.kind) {
          case isa::OperandKind::destination:
            element = destination(type, stores);
            break;
          case isa::OperandKind::constant:
            element = step.constants[next_constant++];
            break;
          default:
            element = source(step, next_source++);
            break;
        }
        text += (text.empty() ? "" : ", ") + element;
      }
      if (count > 1) text = "(" + text + ")";
      operands += (operands.empty() ? " " : ", ") + text;
    }
    if (detect_) body_ += "  cleardetectexcept_u32 31;\n";
    body_ += fmt::format("  {}{};\n{}", step.text, operands, stores);
    if (detect_) {
      body_ += fmt::format("  getdetectexcept_u32 $s1;\n  st_global_u32 $s1, [$d2+{}];\n", 16 * outputs_++);
    }
  }

  std::string text(std::string_view name) const {
    std::string formals = "kernarg_u64 %out";
    for (size_t i = 0; i < sources_.size(); ++i) formals += fmt::format(", kernarg_u64 %in{}", i);
    return fmt::format(
        "prog kernel {}({})\n{{\n{}"
        "  workitemabsid_u32 $s0, 0;\n"
        "  cvt_u64_u32 $d0, $s0;\n"
        "  mul_u64 $d1, $d0, {};\n"
        "  ld_kernarg_u64 $d2, [%out];\n"
        "  add_u64 $d2, $d2, $d1;\n"
        "  mul_u64 $d1, $d0, 16;\n"
        "{}"
        "  ret;\n}};\n",
        name, formals, detect_ ? "  enabledetectexceptions 31;\n" : "", 16 * outputs_, body_);
  }

 private:
  std::string fresh(isa::Type type) {
    const unsigned kind = *isa::register_kind(type);
    return fmt::format("${}{}", isa::register_letter(kind), first_register + used_[kind]++);
  }

  /// Returns a source operand: the loaded register, or the constant that the step holds there, in a new
  /// register or as an immediate.
  std::string source(const Step& step, size_t index) {
    if (index >= step.held.size() || !step.held[index]) return sources_[index];
    const Cell& value = *step.held[index];
    const isa::Type type = step.sources[index];
    if (step.has_immediates && type == HSA_BRIG_TYPE_F32)
      return fmt::format("0F{:08x}", value.lo & 0xffffffff);
    if (step.has_immediates && type == HSA_BRIG_TYPE_F64) return fmt::format("0D{:016x}", value.lo);
    const std::string name = fresh(step.sources[index]);
    switch (name[1]) {
      case 'c':
        body_ += fmt::format("  mov_b1 {}, {};\n", name, value.lo & 1);
        break;
      case 's':
        body_ += fmt::format("  mov_b32 {}, {:#x};\n", name, value.lo & 0xffffffff);
        break;
      case 'd':
        body_ += fmt::format("  mov_b64 {}, {:#x};\n", name, value.lo);
        break;
      default:
        body_ += fmt::format("  mov_b64 $d3, {:#x};\n  mov_b64 $d4, {:#x};\n", value.lo, value.hi);
        body_ += fmt::format("  combine_v2_b128_b64 {}, ($d3, $d4);\n", name);
        break;
    }
    return name;
  }

  /// Loads fill whole registers, so that the bits that instructions must ignore can be garbage.
  static std::string load(const std::string& name, const std::string& address) {
    switch (name[1]) {
      case 'c':
        return fmt::format(
            "  ld_global_u32 $s1, [{0}];\n  and_b32 $s1, $s1, 1;\n  cmp_ne_b1_u32 {1}, $s1, 0;\n", address,
            name);
      case 's':
        return fmt::format("  ld_global_u32 {}, [{}];\n", name, address);
      case 'd':
        return fmt::format("  ld_global_u64 {}, [{}];\n", name, address);
      default:
        return fmt::format("  ld_global_b128 {}, [{}];\n", name, address);
    }
  }
  static std::string store(const std::string& name, const std::string& address) {
    switch (name[1]) {
      case 'c':
        return fmt::format("  cvt_u32_b1 $s1, {};\n  st_global_u32 $s1, [{}];\n", name, address);
      case 's':
        return fmt::format("  st_global_u32 {}, [{}];\n", name, address);
      case 'd':
        return fmt::format("  st_global_u64 {}, [{}];\n", name, address);
      default:
        return fmt::format("  st_global_b128 {}, [{}];\n", name, address);
    }
  }

  std::string destination(isa::Type type, std::string& stores) {
    const std::string name = fresh(type);
    const std::string address = fmt::format("$d2+{}", 16 * outputs_++);
    body_ += load(name, address);
    stores += store(name, address);
    return name;
  }

  bool detect_;
  unsigned used_[4] = {};
  size_t outputs_ = 0;
  std::vector<std::string> sources_;
  std::string body_;
};

}  // namespace

std::optional<Step> instruction_step(const std::string& mnemonic, const std::vector<std::string>& constants,
                                     std::string* why) {
  const auto refuse = [&](std::string reason) {
    if (why != nullptr) *why = std::move(reason);
    return std::nullopt;
  };
  auto parsed = isa::parse_mnemonic(mnemonic);
  if (!parsed) return refuse(parsed.error().message);
  Step step{mnemonic, *parsed, {}, {}, {}, {}};
  for (const isa::Operand& operand : isa::operands(*step.mnemonic.variant)) {
    const isa::Type type = isa::operand_type(operand, step.mnemonic.fields);
    for (unsigned i = 0; i < isa::operand_elements(operand, step.mnemonic.fields); ++i) {
      switch (operand.kind) {
        case isa::OperandKind::destination:
          step.destinations.push_back(type);
          break;
        case isa::OperandKind::source:
        case isa::OperandKind::source_register:
          step.sources.push_back(type);
          break;
        case isa::OperandKind::constant:
          if (step.constants.size() == constants.size()) return refuse("needs a constant");
          step.constants.push_back(constants[step.constants.size()]);
          break;
        default:
          return refuse("has operands that are neither registers nor constants");
      }
    }
  }
  return step;
}

std::string instruction_kernel(std::string_view name, const std::vector<Step>& steps, bool detect) {
  Generator generator(detect);
  generator.load_sources(steps.front().sources);
  for (const Step& step : steps) {
    assert(step.sources == steps.front().sources);
    generator.step(step);
  }
  return generator.text(name);
}

size_t output_count(const std::vector<Step>& steps) {
  size_t count = 0;
  for (const Step& step : steps) count += step.destinations.size();
  return count;
}

}  // namespace heddle::testing
