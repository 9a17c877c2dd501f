// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects that tests build field by field, for an agent that does not execute them.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "fixture.h"

namespace heddle::runtime::test {

namespace co = codeobject;

inline std::vector<std::byte> bytes_of(uint64_t value) {
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

inline co::Variable variable(std::string name, co::Allocation allocation, uint64_t value) {
  co::Variable v;
  v.name = v.linker_name = name;
  v.module_name = "&module";
  v.allocation = allocation;
  v.size = 8;
  v.align = 8;
  v.init = bytes_of(value);
  return v;
}

inline co::Variable declaration(std::string name, co::Allocation allocation) {
  co::Variable v = variable(std::move(name), allocation, 0);
  v.defined = false;
  v.init.clear();
  return v;
}

inline co::Kernel kernel(std::string name) {
  co::Kernel k;
  k.name = k.linker_name = std::move(name);
  k.module_name = "&module";
  k.kernarg_size = 24;
  k.group_size = 128;
  k.private_size = 64;
  return k;
}

/// Returns both parts, for the null agent's first ISA: a kernel, a kernel and a variable of the module, and
/// variables of all kinds.
inline co::CodeObject sample() {
  co::CodeObject object;
  object.has_program_part = object.has_agent_part = true;
  object.isa = "heddle:hsail:w1";
  object.profile = HSA_PROFILE_FULL;
  object.rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  object.program_digest[0] = 7;
  object.kernels = {kernel("&main"), kernel("&hidden")};
  object.kernels[1].linkage = co::Linkage::module;
  object.kernels[1].linker_name = "&module::&hidden";
  object.functions.push_back({"&callee", "&callee", "&module", co::Linkage::program, 0});
  object.variables = {
      variable("&shared", co::Allocation::program, 111), variable("&per_agent", co::Allocation::agent, 222),
      variable("&constant", co::Allocation::agent, 333), variable("&pointer", co::Allocation::agent, 0),
      variable("&private_table", co::Allocation::agent, 444)};
  object.variables[2].segment = co::Segment::readonly;
  object.variables[2].is_const = true;
  object.variables[4].linkage = co::Linkage::module;
  object.variables[4].linker_name = "&module::&private_table";
  object.variables[4].align = 256;
  co::Relocation pointer;
  pointer.where = co::Relocation::Where::variable;
  pointer.what = co::Relocation::What::variable;
  pointer.holder = 3;
  pointer.symbol = 0;
  pointer.addend = 4;
  object.relocations.push_back(pointer);
  return object;
}

inline co::CodeObject program_part() {
  co::CodeObject object = sample();
  object.has_agent_part = false;
  object.isa.clear();
  object.kernels.clear();
  object.functions.clear();
  object.relocations.clear();
  object.variables.resize(1);
  return object;
}

inline co::CodeObject agent_part() {
  co::CodeObject object = sample();
  object.has_program_part = false;
  object.variables[0].defined = false;
  object.variables[0].init.clear();
  return object;
}

/// Executables in the form of Runtime 1.1, with readers that live as long as the test.
class Executables : public Runtime {
 protected:
  void TearDown() override {
    for (hsa_executable_t executable : executables_) EXPECT_SUCCESS(hsa_executable_destroy(executable));
    for (hsa_code_object_reader_t reader : readers_) EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
    Runtime::TearDown();
  }
  hsa_executable_t executable(hsa_default_float_rounding_mode_t mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR) {
    hsa_executable_t made{};
    EXPECT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, mode, nullptr, &made));
    executables_.push_back(made);
    return made;
  }
  hsa_code_object_reader_t reader(const co::CodeObject& object) {
    blobs_.push_back(co::write(object));
    hsa_code_object_reader_t made{};
    EXPECT_SUCCESS(
        hsa_code_object_reader_create_from_memory(blobs_.back().data(), blobs_.back().size(), &made));
    readers_.push_back(made);
    return made;
  }
  hsa_status_t load_program(hsa_executable_t e, const co::CodeObject& object) {
    return hsa_executable_load_program_code_object(e, reader(object), nullptr, nullptr);
  }
  hsa_status_t load_agent(hsa_executable_t e, const co::CodeObject& object) {
    return hsa_executable_load_agent_code_object(e, kernel_agent_, reader(object), nullptr, nullptr);
  }
  hsa_executable_symbol_t symbol(hsa_executable_t e, const char* name, bool of_agent = true) {
    hsa_executable_symbol_t found{};
    EXPECT_SUCCESS(
        hsa_executable_get_symbol_by_linker_name(e, name, of_agent ? &kernel_agent_ : nullptr, &found))
        << name;
    return found;
  }
  template <typename T>
  static T info(hsa_executable_symbol_t s, hsa_executable_symbol_info_t attribute) {
    T value{};
    EXPECT_SUCCESS(hsa_executable_symbol_get_info(s, attribute, &value)) << attribute;
    return value;
  }
  static uint64_t address(hsa_executable_symbol_t s) {
    return info<uint64_t>(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
  }
  /// Returns the 8 bytes of a variable, as its owner sees them.
  static uint64_t contents(hsa_executable_symbol_t s) {
    uint64_t value = 0;
    EXPECT_SUCCESS(hsa_memory_copy(&value, reinterpret_cast<void*>(address(s)), sizeof(value)));
    return value;
  }

  std::vector<hsa_executable_t> executables_;
  std::vector<hsa_code_object_reader_t> readers_;
  std::vector<std::vector<std::byte>> blobs_;
};

}  // namespace heddle::runtime::test
