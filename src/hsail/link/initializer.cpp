// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/types.h"
#include "hsail/link/program.h"

#include <cassert>
namespace heddle::link {
namespace {

using brig::Offset;

/// Limit for the size of an initializer, because an aggregate of a few bytes of BRIG can ask for any amount
/// of zeros.
constexpr uint64_t maximum_bytes = uint64_t{1} << 30;

/// Evaluates one initializer and reports errors in it.
class Evaluator {
 public:
  Evaluator(const Program& program, Reference variable, Initializer& out, Diagnostics& diagnostics)
      : program_(program),
        variable_(variable),
        module_(program.modules()[variable.module]),
        directive_(module_.code_as<hsa_brig_directive_variable_t>(variable.offset)),
        name_(module_.name(variable.offset)),
        out_(out),
        diagnostics_(diagnostics) {}

  bool run() {
    const uint64_t size = variable_size(module_, variable_.offset);
    const uint64_t given = brig::constant_byte_size(module_, directive_.init);
    if (given != size) {
      return fail("HSAIL-4.10-initializer-size",
                  fmt::format("the initializer of {} has {} bytes, the variable {}", name_, given, size));
    }
    if (size > maximum_bytes) {
      return fail("HSAIL-4.10-initializer-limit",
                  fmt::format("the initializer of {} has {} bytes: more than {} are not supported", name_,
                              size, maximum_bytes));
    }
    out_.bytes.resize(size);
    bool good = true;
    brig::for_each_leaf(module_, directive_.init,
                        [&](uint64_t offset, Offset operand) { good = good && leaf(offset, operand); });
    return good;
  }

 private:
  bool fail(const char* id, std::string message) {
    diagnostics_.error(id, Location::binary("hsa_code", variable_.offset), std::move(message));
    return false;
  }

  bool leaf(uint64_t offset, Offset operand) {
    switch (brig::operand_kind(module_, operand)) {
      case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES: {
        const auto bytes = brig::constant_bytes(module_, operand);
        if (!bytes.empty()) std::memcpy(out_.bytes.data() + offset, bytes.data(), bytes.size());
        return true;
      }
      case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
        return expression(offset, brig::expression_of(module_, operand));
      case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
        return handle(offset, operand, Initializer::Fixup::Kind::image);
      default:  // a sampler, because brig::Module::open() allows no other kind here
        return handle(offset, operand, Initializer::Fixup::Kind::sampler);
    }
  }

  /// Adds a fixup for an image or sampler handle. A handle belongs to one agent (PRM 7.1.7, 7.1.8), so
  /// brig::Module::open() has rejected handles in variables with program allocation.
  bool handle(uint64_t offset, Offset operand, Initializer::Fixup::Kind kind) {
    assert(directive_.segment != HSA_BRIG_SEGMENT_GLOBAL ||
           directive_.allocation != HSA_BRIG_ALLOCATION_PROGRAM);
    out_.fixups.push_back({static_cast<uint32_t>(offset), 8, kind, -1, 0, operand});
    return true;
  }

  bool expression(uint64_t offset, const brig::Expression& value) {
    using Kind = Initializer::Fixup::Kind;
    Initializer::Fixup fixup{static_cast<uint32_t>(offset), static_cast<uint8_t>(isa::byte_size(value.type)),
                             Kind::address, -1, 0};
    switch (value.operation) {
      case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_FLAT:
        fixup.kind = Kind::null_flat;
        break;
      case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_GROUP:
        fixup.kind = Kind::null_group;
        break;
      case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_PRIVATE:
        fixup.kind = Kind::null_private;
        break;
      case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_KERNARG:
        fixup.kind = Kind::null_kernarg;
        break;
      default:  // addr, because brig::Module::open() allows no other operation here
        fixup.symbol = program_.symbol_of({variable_.module, value.symbol});
        fixup.addend = static_cast<int64_t>(value.displacement);
        if (!check_target(fixup.symbol)) return false;
        break;
    }
    const bool null_of_agent = fixup.kind != Kind::address && fixup.kind != Kind::null_flat;
    if (null_of_agent && directive_.allocation == HSA_BRIG_ALLOCATION_PROGRAM) {
      return fail(
          "HSAIL-4.8.1-null-of-agent",
          fmt::format("{} has program allocation: the null addresses of agents cannot be its initial value",
                      name_));
    }
    out_.fixups.push_back(fixup);
    return true;
  }

  /// Checks that addr() takes the address of a global or readonly variable, kernel or indirect function, and,
  /// in a variable with program allocation, of something that has one address for all agents (PRM 4.8.1).
  bool check_target(int32_t symbol) {
    if (symbol < 0) {
      return fail("HSAIL-4.8.1-addr-target",
                  fmt::format("the initializer of {} takes the address of something without storage", name_));
    }
    const Symbol& target = program_.symbols()[symbol];
    bool for_all_agents = false;
    if (target.kind == Symbol::Kind::variable) {
      const brig::Module& home = program_.modules()[target.definition.module];
      const auto& variable = home.code_as<hsa_brig_directive_variable_t>(target.definition.offset);
      if (variable.segment != HSA_BRIG_SEGMENT_GLOBAL && variable.segment != HSA_BRIG_SEGMENT_READONLY) {
        return fail("HSAIL-4.8.1-addr-target",
                    fmt::format("addr({}): not a global or readonly variable", target.name));
      }
      for_all_agents = variable.allocation == HSA_BRIG_ALLOCATION_PROGRAM;
    } else if (target.kind != Symbol::Kind::kernel && target.kind != Symbol::Kind::indirect_function) {
      return fail(
          "HSAIL-4.8.1-addr-target",
          fmt::format("addr({}): neither a variable, a kernel nor an indirect function", target.name));
    } else if (!target.defined) {
      return fail("HSAIL-4.8.1-addr-undefined", fmt::format("addr({}): it is not defined", target.name));
    }
    if (!for_all_agents && directive_.allocation == HSA_BRIG_ALLOCATION_PROGRAM) {
      return fail(
          "HSAIL-4.8.1-addr-of-agent",
          fmt::format(
              "{} has program allocation: its initial value cannot be addr({}), which differs by agent",
              name_, target.name));
    }
    return true;
  }

  const Program& program_;
  Reference variable_;
  const brig::Module& module_;
  const hsa_brig_directive_variable_t& directive_;
  std::string_view name_;
  Initializer& out_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool evaluate_initializer(const Program& program, Reference variable, Initializer& out,
                          Diagnostics& diagnostics) {
  out = {};
  const brig::Module& module = program.modules()[variable.module];
  if (module.code_as<hsa_brig_directive_variable_t>(variable.offset).init == 0) return true;
  return Evaluator(program, variable, out, diagnostics).run();
}

}  // namespace heddle::link
