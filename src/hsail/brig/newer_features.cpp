// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/brig/newer_features.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/isa.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

constexpr unsigned all_of_1_1 = 1;  // everything below came with HSAIL 1.1

/// Collects the features; each function appends those of one entry.
class Search {
 public:
  Search(const Module& module, unsigned minor) : module_(module), minor_(minor) {}

  std::vector<NewerFeature> run() {
    for (Offset at = module_.code_begin(); at != module_.code_end(); at = module_.next_code(at)) {
      if (module_.is_instruction(at))
        instruction(at);
      else
        directive(at);
    }
    for (Offset at = module_.operands_begin(); at != module_.operands_end();
         at += module_.operand_entry(at).byte_count)
      operand(at);
    return std::move(found_);
  }

 private:
  void add(std::string_view id, unsigned since, std::string_view section, Offset at, std::string message) {
    found_.push_back(
        {std::string(id), std::move(message), Location::binary(std::string(section), at), since});
  }

  /// Instructions and modifiers are described in the tables, whose rules about versions have ids of 14.1.
  void instruction(Offset at) {
    isa::Fields fields = instruction_fields(module_, at);
    const auto variant = isa::match(fields);
    assert(variant && "the module was opened");
    isa::complete(**variant, fields);
    for (const isa::Violation& lacking : broken_in(minor_, **variant, fields)) {
      unsigned since = minor_ + 1;
      while (breaks(lacking.id, broken_in(since, **variant, fields))) ++since;
      add(lacking.id, since, "hsa_code", at, lacking.message);
    }
  }

  static bool breaks(std::string_view rule, const std::vector<isa::Violation>& violations) {
    return std::ranges::find(violations, rule, &isa::Violation::id) != violations.end();
  }

  /// Returns the rules about versions that the instruction breaks in a module of HSAIL 1.`minor`.
  static std::vector<isa::Violation> broken_in(unsigned minor, const isa::Variant& variant,
                                               const isa::Fields& fields) {
    std::vector<isa::Violation> found;
    isa::Environment environment;
    environment.hsail_minor = minor;
    isa::check(variant, fields, environment, [&](const isa::BrokenRule& broken) {
      if (broken.violation.id.starts_with("HSAIL-14.1-version")) found.push_back(broken.violation);
    });
    return found;
  }

  void directive(Offset at) {
    if (minor_ >= all_of_1_1) return;
    switch (module_.code_kind(at)) {
      case HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION:
        return add("HSAIL-14.1-version-extension", all_of_1_1, "hsa_code", at,
                   "versions of extensions need HSAIL 1.1");
      case HSA_BRIG_KIND_DIRECTIVE_CONTROL: {
        const unsigned control = module_.code_as<hsa_brig_directive_control_t>(at).control;
        if (control < HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS) return;
        return add("HSAIL-14.1-version-control", all_of_1_1, "hsa_code", at,
                   fmt::format("{} needs HSAIL 1.1", isa::name(isa::Names::control_directive, control)));
      }
      default:
        return;
    }
  }

  void operand(Offset at) {
    if (minor_ >= all_of_1_1) return;
    switch (operand_kind(module_, at)) {
      case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
        return add("HSAIL-14.1-version-expression", all_of_1_1, "hsa_operand", at,
                   "addr() and null pointers as constants need HSAIL 1.1");
      case HSA_BRIG_KIND_OPERAND_ZERO:
        return add("HSAIL-14.1-version-zero", all_of_1_1, "hsa_operand", at, "zero() needs HSAIL 1.1");
      default:
        return;
    }
  }

  const Module& module_;
  unsigned minor_;
  std::vector<NewerFeature> found_;
};

/// Copies `value` to `offset`, at which the bytes hold an object of this type.
template <typename T>
void put(std::vector<std::byte>& bytes, size_t offset, T value) {
  assert(offset + sizeof value <= bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

}  // namespace

std::vector<NewerFeature> newer_features(const Module& module, unsigned minor) {
  return Search(module, minor).run();
}

void set_version(const Module& module, std::vector<std::byte>& bytes, unsigned minor) {
  assert(minor <= HSA_BRIG_VERSION_BRIG_MINOR && bytes.size() >= module.bytes().size());
  put<hsa_brig_version32_t>(bytes, offsetof(hsa_brig_module_header_t, brig_minor), minor);
  if (module.header().hsail_minor <= minor) return;
  const auto code_at = static_cast<size_t>(module.code().data() - module.bytes().data());
  put<hsa_brig_version32_t>(
      bytes, code_at + module.module_directive() + offsetof(hsa_brig_directive_module_t, hsail_minor), minor);
}

}  // namespace heddle::brig
