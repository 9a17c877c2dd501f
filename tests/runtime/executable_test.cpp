// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code object readers and executables (Runtime 2.8.1.17 to 2.8.1.49).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "code.h"

namespace heddle::runtime::test {
namespace {

TEST_F(Executables, ProgramAndAgentCodeObject) {
  const hsa_executable_t e = executable();
  hsa_loaded_code_object_t first{}, second{};
  ASSERT_SUCCESS(hsa_executable_load_program_code_object(e, reader(program_part()), "-unknown", &first));
  ASSERT_SUCCESS(
      hsa_executable_load_agent_code_object(e, kernel_agent_, reader(agent_part()), nullptr, &second));
  EXPECT_NE(first.handle, second.handle);
  const hsa_executable_symbol_t main = symbol(e, "&main");
  EXPECT_EQ(info<uint64_t>(main, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT), 0u);
  EXPECT_EQ(address(symbol(e, "&per_agent")), 0u);
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
  EXPECT_NE(info<uint64_t>(main, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT), 0u);
  EXPECT_NE(info<uint64_t>(symbol(e, "&callee"), HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT), 0u);
  EXPECT_EQ(contents(symbol(e, "&shared", false)), 111u);
  EXPECT_EQ(contents(symbol(e, "&per_agent")), 222u);
  EXPECT_EQ(contents(symbol(e, "&constant")), 333u);
  EXPECT_EQ(contents(symbol(e, "&pointer")), address(symbol(e, "&shared", false)) + 4);
  EXPECT_EQ(contents(symbol(e, "&module::&private_table")), 444u);
  EXPECT_EQ(address(symbol(e, "&module::&private_table")) % 256, 0u);
  uint32_t result = 1;
  EXPECT_SUCCESS(hsa_executable_validate(e, &result));
  EXPECT_EQ(result, 0u);
}

/// A variable may get memory that another variable used before, but must not show its old contents.
TEST_F(Executables, VariablesWithoutInitializerAreZero) {
  co::CodeObject object = program_part();
  object.variables[0].init.clear();
  object.variables[0].size = 3u << 20;
  for (int i = 0; i < 3; ++i) {
    hsa_executable_t e{};
    ASSERT_SUCCESS(
        hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &e));
    ASSERT_SUCCESS(load_program(e, object));
    ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
    auto* bytes = reinterpret_cast<char*>(address(symbol(e, "&shared", false)));
    EXPECT_EQ(std::count(bytes, bytes + (3u << 20), '\0'), 3 << 20);
    std::memset(bytes, 0x5a, 3u << 20);
    EXPECT_SUCCESS(hsa_executable_destroy(e));
  }
}

TEST_F(Executables, VariablesOfTwoExecutablesAreTwo) {
  hsa_executable_symbol_t found[2];
  for (auto& s : found) {
    const hsa_executable_t e = executable();
    ASSERT_SUCCESS(load_program(e, program_part()));
    ASSERT_SUCCESS(load_agent(e, agent_part()));
    ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
    s = symbol(e, "&shared", false);
  }
  EXPECT_NE(address(found[0]), address(found[1]));
}

TEST_F(Executables, SymbolAttributes) {
  const hsa_executable_t e = executable();
  ASSERT_SUCCESS(load_program(e, program_part()));
  ASSERT_SUCCESS(load_agent(e, agent_part()));
  const hsa_executable_symbol_t k = symbol(e, "&module::&hidden");
  EXPECT_EQ(info<hsa_symbol_kind_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_KERNEL);
  EXPECT_EQ(info<hsa_symbol_linkage_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE), HSA_SYMBOL_LINKAGE_MODULE);
  EXPECT_EQ(info<hsa_agent_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_AGENT).handle, kernel_agent_.handle);
  EXPECT_EQ(info<bool>(k, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION), true);
  EXPECT_EQ(info<uint32_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
            32u);  // 24, to a multiple of 16
  EXPECT_EQ(info<uint32_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT), 16u);
  EXPECT_EQ(info<uint32_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE), 128u);
  EXPECT_EQ(info<uint32_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE), 64u);
  EXPECT_EQ(info<bool>(k, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK), false);
  EXPECT_EQ(info<uint32_t>(k, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION), 0u);
  const std::tuple<hsa_executable_symbol_info_t, hsa_executable_symbol_info_t, std::string> names[] = {
      {HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, HSA_EXECUTABLE_SYMBOL_INFO_NAME, "&hidden"},
      {HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH, HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME, "&module"},
      {HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME_LENGTH, HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME,
       "&module::&hidden"}};
  for (const auto& [length_attribute, attribute, expected] : names) {
    ASSERT_EQ(info<uint32_t>(k, length_attribute), expected.size());
    std::string name(expected.size() + 1, '#');
    ASSERT_SUCCESS(hsa_executable_symbol_get_info(k, attribute, name.data()));
    EXPECT_EQ(name, expected + '#');  // no NUL behind it
  }
  EXPECT_EQ(info<uint32_t>(symbol(e, "&main"), HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH), 0u);

  const hsa_executable_symbol_t v = symbol(e, "&constant");
  EXPECT_EQ(info<hsa_symbol_kind_t>(v, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_VARIABLE);
  EXPECT_EQ(info<hsa_variable_allocation_t>(v, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION),
            HSA_VARIABLE_ALLOCATION_AGENT);
  EXPECT_EQ(info<hsa_variable_segment_t>(v, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT),
            HSA_VARIABLE_SEGMENT_READONLY);
  EXPECT_EQ(info<uint32_t>(v, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT), 8u);
  EXPECT_EQ(info<uint32_t>(v, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 8u);
  EXPECT_EQ(info<bool>(v, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST), true);

  uint64_t value = 0;
  EXPECT_EQ(hsa_executable_symbol_get_info(v, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_symbol_get_info(k, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_symbol_get_info(k, static_cast<hsa_executable_symbol_info_t>(26), &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_symbol_get_info(k, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t handle : garbage_handles)
    EXPECT_EQ(hsa_executable_symbol_get_info({handle}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &value),
              HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
}

TEST_F(Executables, SymbolsAreFoundUnderEveryCustomaryName) {
  const hsa_executable_t e = executable();
  ASSERT_SUCCESS(load_program(e, program_part()));
  ASSERT_SUCCESS(load_agent(e, agent_part()));
  const uint64_t main = symbol(e, "&main").handle;
  for (const char* name : {"main", "&main.kd", "main.kd", "main.kd.kd"})
    EXPECT_EQ(symbol(e, name).handle, main);
  hsa_executable_symbol_t s{};
  EXPECT_SUCCESS(hsa_executable_get_symbol(e, nullptr, "&main", kernel_agent_, 0, &s));
  EXPECT_EQ(s.handle, main);
  EXPECT_SUCCESS(hsa_executable_get_symbol_by_name(e, "main", &kernel_agent_, &s));
  EXPECT_EQ(s.handle, main);
  const uint64_t hidden = symbol(e, "&module::&hidden").handle;
  for (const char* module : {"&module", "module"}) {
    EXPECT_SUCCESS(hsa_executable_get_symbol(e, module, "&hidden", kernel_agent_, 0, &s));
    EXPECT_EQ(s.handle, hidden);
  }
  EXPECT_EQ(hsa_executable_get_symbol(e, nullptr, "&hidden", kernel_agent_, 0, &s),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_executable_get_symbol(e, "&other", "&hidden", kernel_agent_, 0, &s),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_executable_get_symbol(e, nullptr, "&main", host_, 0, &s),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  // A variable of program allocation: the old function finds it with any agent, the new one only without an
  // agent.
  EXPECT_SUCCESS(hsa_executable_get_symbol(e, nullptr, "&shared", host_, 0, &s));
  EXPECT_SUCCESS(hsa_executable_get_symbol(e, nullptr, "&shared", {0}, 0, &s));
  EXPECT_SUCCESS(hsa_executable_get_symbol_by_linker_name(e, "&shared", nullptr, &s));
  EXPECT_EQ(hsa_executable_get_symbol_by_linker_name(e, "&shared", &kernel_agent_, &s),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_executable_get_symbol_by_linker_name(e, nullptr, nullptr, &s),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_get_symbol_by_linker_name(e, "&main", &kernel_agent_, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_get_symbol(e, nullptr, nullptr, kernel_agent_, 0, &s),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

struct Listed {
  std::set<uint64_t> symbols;
  int calls = 0;
};

hsa_status_t list(hsa_executable_t, hsa_executable_symbol_t symbol, void* data) {
  auto* listed = static_cast<Listed*>(data);
  listed->symbols.insert(symbol.handle);
  ++listed->calls;
  return HSA_STATUS_SUCCESS;
}

TEST_F(Executables, IterationsSplitTheSymbols) {
  const hsa_executable_t e = executable();
  ASSERT_SUCCESS(load_program(e, program_part()));
  ASSERT_SUCCESS(load_agent(e, agent_part()));
  Listed all, program, agent;
  EXPECT_SUCCESS(hsa_executable_iterate_symbols(e, list, &all));
  EXPECT_SUCCESS(hsa_executable_iterate_program_symbols(e, list, &program));
  EXPECT_SUCCESS(hsa_executable_iterate_agent_symbols(
      e, kernel_agent_,
      [](hsa_executable_t e, hsa_agent_t, hsa_executable_symbol_t s, void* data) { return list(e, s, data); },
      &agent));
  EXPECT_EQ(program.calls, 1);
  EXPECT_EQ(agent.calls, 7);  // 2 kernels, 1 function, 4 variables
  EXPECT_EQ(all.calls, 8);
  EXPECT_EQ(all.symbols.size(), 8u);
  EXPECT_TRUE(program.symbols.contains(symbol(e, "&shared", false).handle));
  Listed none;
  EXPECT_SUCCESS(hsa_executable_iterate_agent_symbols(
      e, host_,
      [](hsa_executable_t e, hsa_agent_t, hsa_executable_symbol_t s, void* data) { return list(e, s, data); },
      &none));
  EXPECT_EQ(none.calls, 0);
  EXPECT_EQ(hsa_executable_iterate_symbols(e, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_iterate_program_symbols(e, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_iterate_agent_symbols(e, kernel_agent_, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      hsa_executable_iterate_agent_symbols(
          e, {0},
          [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; },
          nullptr),
      HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST_F(Executables, FrozenMeansFrozen) {
  const hsa_executable_t e = executable();
  ASSERT_SUCCESS(hsa_executable_freeze(e, ""));
  hsa_executable_state_t state;
  ASSERT_SUCCESS(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_STATE, &state));
  EXPECT_EQ(state, HSA_EXECUTABLE_STATE_FROZEN);
  int x = 0;
  constexpr auto frozen = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  EXPECT_EQ(hsa_executable_freeze(e, nullptr), frozen);
  EXPECT_EQ(load_program(e, program_part()), frozen);
  EXPECT_EQ(load_agent(e, agent_part()), frozen);
  EXPECT_EQ(hsa_executable_global_variable_define(e, "&x", &x), frozen);
  EXPECT_EQ(hsa_executable_agent_global_variable_define(e, kernel_agent_, "&x", &x), frozen);
  EXPECT_EQ(hsa_executable_readonly_variable_define(e, kernel_agent_, "&x", &x), frozen);
}

TEST_F(Executables, ExternalVariables) {
  co::CodeObject object = agent_part();
  object.variables.resize(4);
  object.variables[1] = declaration("&per_agent", co::Allocation::agent);
  object.variables[2] = declaration("&constant", co::Allocation::agent);
  object.variables[2].segment = co::Segment::readonly;
  const hsa_executable_t e = executable();
  uint64_t shared = 1, per_agent = 2, constant = 3;
  ASSERT_SUCCESS(hsa_executable_global_variable_define(e, "&shared", &shared));
  ASSERT_SUCCESS(hsa_executable_agent_global_variable_define(e, kernel_agent_, "per_agent", &per_agent));
  ASSERT_SUCCESS(load_agent(e, object));
  EXPECT_EQ(hsa_executable_freeze(e, nullptr), HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
  EXPECT_EQ(hsa_executable_agent_global_variable_define(e, kernel_agent_, "&constant", &constant),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_executable_freeze(e, nullptr), HSA_STATUS_ERROR_VARIABLE_UNDEFINED);  // the wrong segment
  const hsa_executable_t f = executable();
  ASSERT_SUCCESS(hsa_executable_global_variable_define(f, "&shared", &shared));
  ASSERT_SUCCESS(hsa_executable_agent_global_variable_define(f, kernel_agent_, "&per_agent", &per_agent));
  ASSERT_SUCCESS(hsa_executable_readonly_variable_define(f, kernel_agent_, "&constant", &constant));
  ASSERT_SUCCESS(load_agent(f, object));
  ASSERT_SUCCESS(hsa_executable_freeze(f, nullptr));
  EXPECT_EQ(address(symbol(f, "&per_agent")), reinterpret_cast<uint64_t>(&per_agent));
  EXPECT_EQ(address(symbol(f, "&constant")), reinterpret_cast<uint64_t>(&constant));
  EXPECT_EQ(contents(symbol(f, "&pointer")), reinterpret_cast<uint64_t>(&shared) + 4);
  EXPECT_FALSE(info<bool>(symbol(f, "&per_agent"), HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
  EXPECT_TRUE(info<bool>(symbol(f, "&pointer"), HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
}

TEST_F(Executables, DefinitionErrors) {
  const hsa_executable_t e = executable();
  uint64_t x = 0;
  EXPECT_EQ(hsa_executable_global_variable_define(e, nullptr, &x), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_global_variable_define(e, "&x", nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_global_variable_define(e, "&", &x), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_executable_agent_global_variable_define(e, {0}, "&x", &x), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_executable_readonly_variable_define(e, {0}, "&x", &x), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_SUCCESS(hsa_executable_global_variable_define(e, "&x", &x));
  EXPECT_EQ(hsa_executable_global_variable_define(e, "x", &x), HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  EXPECT_SUCCESS(hsa_executable_agent_global_variable_define(e, kernel_agent_, "&x", &x));
  ASSERT_SUCCESS(load_program(e, program_part()));
  EXPECT_EQ(hsa_executable_global_variable_define(e, "&shared", &x),
            HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  // No code object may define a variable that the application defines.
  const hsa_executable_t f = executable();
  EXPECT_SUCCESS(hsa_executable_global_variable_define(f, "&shared", &x));
  EXPECT_EQ(load_program(f, program_part()), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
}

TEST_F(Executables, CodeObjectsMustFit) {
  constexpr auto incompatible = HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  const hsa_executable_t e = executable();
  EXPECT_EQ(load_program(e, agent_part()), incompatible);
  EXPECT_EQ(load_agent(e, program_part()), incompatible);
  EXPECT_EQ(hsa_executable_load_agent_code_object(e, host_, reader(agent_part()), nullptr, nullptr),
            incompatible);
  const auto refused = [&](void (*change)(co::CodeObject&)) {
    co::CodeObject object = agent_part();
    change(object);
    return load_agent(e, object) == incompatible;
  };
  EXPECT_TRUE(refused([](co::CodeObject& o) { o.isa = "heddle:nothing:w1"; }));
  EXPECT_TRUE(refused([](co::CodeObject& o) { o.machine_model = HSA_MACHINE_MODEL_SMALL; }));
  EXPECT_TRUE(refused([](co::CodeObject& o) { o.profile = HSA_PROFILE_BASE; }));
  EXPECT_TRUE(refused([](co::CodeObject& o) { o.rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO; }));
  ASSERT_SUCCESS(load_program(e, program_part()));
  EXPECT_EQ(load_program(e, program_part()), incompatible);  // only once
  EXPECT_TRUE(refused([](co::CodeObject& o) { o.program_digest[0] ^= 1; }));
  EXPECT_FALSE(refused([](co::CodeObject& o) { o.rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT; }));
  EXPECT_TRUE(refused([](co::CodeObject&) {}));  // only once for an agent
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
}

TEST_F(Executables, ValidationFindsWhatDiffers) {
  const hsa_executable_t e = executable();
  uint32_t result = 0;
  co::CodeObject object = agent_part();
  object.variables[0].size = 4;  // declared smaller than defined
  object.relocations.clear();
  ASSERT_SUCCESS(load_program(e, program_part()));
  ASSERT_SUCCESS(load_agent(e, object));
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
  EXPECT_SUCCESS(hsa_executable_validate_alt(e, nullptr, &result));
  EXPECT_NE(result, 0u);
  EXPECT_EQ(hsa_executable_validate(e, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Executables, ExecutableErrors) {
  hsa_executable_t e{};
  const auto mode = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  constexpr auto invalid = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  EXPECT_EQ(hsa_executable_create_alt(static_cast<hsa_profile_t>(2), mode, nullptr, &e), invalid);
  EXPECT_EQ(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &e),
            invalid);
  EXPECT_EQ(hsa_executable_create_alt(HSA_PROFILE_FULL, mode, nullptr, nullptr), invalid);
  EXPECT_EQ(hsa_executable_create(HSA_PROFILE_FULL, static_cast<hsa_executable_state_t>(2), nullptr, &e),
            invalid);
  EXPECT_EQ(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, nullptr),
            invalid);
  const hsa_code_object_reader_t r = reader(program_part());
  uint64_t buffer[8];
  int x = 0;
  uint32_t result = 0;
  hsa_executable_symbol_t s{};
  for (uint64_t handle : garbage_handles) {
    constexpr auto none = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    e.handle = handle;
    EXPECT_EQ(hsa_executable_destroy(e), none);
    EXPECT_EQ(hsa_executable_freeze(e, nullptr), none);
    EXPECT_EQ(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_STATE, buffer), none);
    EXPECT_EQ(hsa_executable_load_program_code_object(e, r, nullptr, nullptr), none);
    EXPECT_EQ(hsa_executable_load_agent_code_object(e, kernel_agent_, r, nullptr, nullptr), none);
    EXPECT_EQ(hsa_executable_load_code_object(e, kernel_agent_, {0}, nullptr), none);
    EXPECT_EQ(hsa_executable_global_variable_define(e, "&x", &x), none);
    EXPECT_EQ(hsa_executable_agent_global_variable_define(e, kernel_agent_, "&x", &x), none);
    EXPECT_EQ(hsa_executable_readonly_variable_define(e, kernel_agent_, "&x", &x), none);
    EXPECT_EQ(hsa_executable_validate(e, &result), none);
    EXPECT_EQ(hsa_executable_get_symbol(e, nullptr, "&x", kernel_agent_, 0, &s), none);
    EXPECT_EQ(hsa_executable_get_symbol_by_linker_name(e, "&x", nullptr, &s), none);
    EXPECT_EQ(hsa_executable_iterate_symbols(e, list, nullptr), none);
    EXPECT_EQ(hsa_executable_iterate_program_symbols(e, list, nullptr), none);
    EXPECT_EQ(hsa_executable_load_program_code_object(executable(), {handle}, nullptr, nullptr),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    EXPECT_EQ(hsa_code_object_reader_destroy({handle}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    EXPECT_EQ(hsa_executable_load_agent_code_object(executable(), {handle}, r, nullptr, nullptr),
              HSA_STATUS_ERROR_INVALID_AGENT);
  }
  e = executable();
  EXPECT_EQ(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_STATE, nullptr), invalid);
  EXPECT_EQ(hsa_executable_get_info(e, static_cast<hsa_executable_info_t>(0), buffer), invalid);
  hsa_executable_t gone{};
  ASSERT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_BASE, mode, nullptr, &gone));
  EXPECT_SUCCESS(hsa_executable_destroy(gone));
  EXPECT_EQ(hsa_executable_destroy(gone), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
}

TEST_F(Executables, SymbolsDieWithTheirExecutable) {
  hsa_executable_t e{};
  ASSERT_SUCCESS(
      hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &e));
  ASSERT_SUCCESS(load_program(e, program_part()));
  const hsa_executable_symbol_t s = symbol(e, "&shared", false);
  EXPECT_SUCCESS(hsa_executable_destroy(e));
  uint64_t value;
  EXPECT_EQ(hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &value),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
}

TEST_F(Executables, ReadersOfFiles) {
  const std::vector<std::byte> blob = co::write(program_part());
  FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fwrite(blob.data(), 1, blob.size(), file), blob.size());
  std::fflush(file);
  const off_t position = lseek(fileno(file), 0, SEEK_CUR);
  hsa_code_object_reader_t r{};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_file(fileno(file), &r));
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_CUR), position);
  const hsa_executable_t e = executable();
  EXPECT_SUCCESS(hsa_executable_load_program_code_object(e, r, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(r));
  EXPECT_EQ(hsa_code_object_reader_destroy(r), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  std::fclose(file);

  EXPECT_EQ(hsa_code_object_reader_create_from_file(-1, &r), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(123456, &r), HSA_STATUS_ERROR_INVALID_FILE);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(ends[0], &r), HSA_STATUS_ERROR_INVALID_FILE);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(nullptr, 8, &r), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(blob.data(), 0, &r), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(blob.data(), 8, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// Loading a damaged code object is an error and does no harm.
TEST_F(Executables, DamagedCodeObjectsAreRefused) {
  const std::vector<std::byte> blob = co::write(sample());
  const hsa_executable_t e = executable();
  for (size_t length = 1; length < blob.size(); length += 1 + length / 8) {
    hsa_code_object_reader_t r{};
    ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(blob.data(), length, &r));
    EXPECT_EQ(hsa_executable_load_agent_code_object(e, kernel_agent_, r, nullptr, nullptr),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    EXPECT_SUCCESS(hsa_code_object_reader_destroy(r));
  }
}

}  // namespace
}  // namespace heddle::runtime::test
