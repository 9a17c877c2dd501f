// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects of HSA 1.0 and the executables that load them (Runtime 2.8.1.50 to 2.8.1.64).
#include <set>

#include "code.h"

namespace heddle::runtime::test {
namespace {

class CodeObjects : public Executables {
 protected:
  void TearDown() override {
    for (hsa_executable_t e : executables_) EXPECT_SUCCESS(hsa_executable_destroy(e));
    executables_.clear();
    for (hsa_code_object_t c : code_objects_) EXPECT_SUCCESS(hsa_code_object_destroy(c));
    Executables::TearDown();
  }
  hsa_code_object_t code_object(const co::CodeObject& object) {
    std::vector<std::byte> blob = co::write(object);
    hsa_code_object_t made{};
    EXPECT_SUCCESS(hsa_code_object_deserialize(blob.data(), blob.size(), nullptr, &made));
    code_objects_.push_back(made);
    return made;  // the code object outlives these bytes
  }
  hsa_executable_t old_executable() {
    hsa_executable_t made{};
    EXPECT_SUCCESS(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, "", &made));
    executables_.push_back(made);
    return made;
  }

  std::vector<hsa_code_object_t> code_objects_;
};

hsa_status_t allocate(size_t size, hsa_callback_data_t data, void** address) {
  auto* calls = reinterpret_cast<int*>(data.handle);
  ++*calls;
  *address = malloc(size);
  return HSA_STATUS_SUCCESS;
}

TEST_F(CodeObjects, SerializeAndBack) {
  const hsa_code_object_t c = code_object(sample());
  int calls = 0;
  void* bytes = nullptr;
  size_t size = 0;
  const hsa_callback_data_t data{reinterpret_cast<uint64_t>(&calls)};
  ASSERT_SUCCESS(hsa_code_object_serialize(c, allocate, data, nullptr, &bytes, &size));
  EXPECT_EQ(calls, 1);
  const std::vector<std::byte> expected = co::write(sample());
  ASSERT_EQ(size, expected.size());
  EXPECT_EQ(std::memcmp(bytes, expected.data(), size), 0);
  hsa_code_object_t again{};
  EXPECT_SUCCESS(hsa_code_object_deserialize(bytes, size, nullptr, &again));
  free(bytes);
  EXPECT_SUCCESS(hsa_code_object_destroy(again));
  EXPECT_EQ(hsa_code_object_destroy(again), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  const auto refuse = [](size_t, hsa_callback_data_t, void**) { return HSA_STATUS_ERROR_FATAL; };
  EXPECT_EQ(hsa_code_object_serialize(c, refuse, data, nullptr, &bytes, &size), HSA_STATUS_ERROR_FATAL);
  EXPECT_EQ(hsa_code_object_serialize(c, nullptr, data, nullptr, &bytes, &size),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_serialize(c, allocate, data, nullptr, nullptr, &size),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_serialize(c, allocate, data, nullptr, &bytes, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(CodeObjects, Attributes) {
  const hsa_code_object_t c = code_object(sample());
  char version[64];
  std::memset(version, 'x', sizeof(version));
  ASSERT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_VERSION, version));
  for (size_t i = std::strlen(version); i < sizeof(version); ++i) EXPECT_EQ(version[i], '\0');
  hsa_isa_t isa{};
  ASSERT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_ISA, &isa));
  hsa_isa_t expected{};
  ASSERT_SUCCESS(hsa_isa_from_name("heddle:hsail:w1", &expected));
  EXPECT_EQ(isa.handle, expected.handle);
  hsa_code_object_type_t type;
  ASSERT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_TYPE, &type));
  EXPECT_EQ(type, HSA_CODE_OBJECT_TYPE_PROGRAM);
  hsa_machine_model_t model;
  ASSERT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_MACHINE_MODEL, &model));
  EXPECT_EQ(model, HSA_MACHINE_MODEL_LARGE);
  hsa_profile_t profile;
  ASSERT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_PROFILE, &profile));
  EXPECT_EQ(profile, HSA_PROFILE_FULL);
  hsa_default_float_rounding_mode_t mode;
  ASSERT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &mode));
  EXPECT_EQ(mode, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  EXPECT_EQ(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_TYPE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_get_info(c, static_cast<hsa_code_object_info_t>(6), version),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(CodeObjects, Symbols) {
  const hsa_code_object_t c = code_object(sample());
  std::set<uint64_t> symbols;
  ASSERT_SUCCESS(hsa_code_object_iterate_symbols(
      c,
      [](hsa_code_object_t, hsa_code_symbol_t s, void* data) {
        static_cast<std::set<uint64_t>*>(data)->insert(s.handle);
        return HSA_STATUS_SUCCESS;
      },
      &symbols));
  EXPECT_EQ(symbols.size(), 8u);
  hsa_code_symbol_t s{};
  ASSERT_SUCCESS(hsa_code_object_get_symbol(c, "&main", &s));
  EXPECT_TRUE(symbols.contains(s.handle));
  hsa_symbol_kind_t kind;
  EXPECT_SUCCESS(hsa_code_symbol_get_info(s, HSA_CODE_SYMBOL_INFO_TYPE, &kind));
  EXPECT_EQ(kind, HSA_SYMBOL_KIND_KERNEL);
  uint32_t size = 0;
  EXPECT_SUCCESS(hsa_code_symbol_get_info(s, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &size));
  EXPECT_EQ(size, 32u);
  EXPECT_EQ(hsa_code_symbol_get_info(s, HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE, &size),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_symbol_get_info(s, HSA_CODE_SYMBOL_INFO_TYPE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Only symbols of executables have this attribute.
  EXPECT_EQ(hsa_code_symbol_get_info(s, static_cast<hsa_code_symbol_info_t>(22), &size),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_code_object_get_symbol_from_name(c, "&module", "&hidden", &s));
  EXPECT_EQ(hsa_code_object_get_symbol_from_name(c, nullptr, "&hidden", &s),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_code_object_get_symbol(c, "&nothing", &s), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_code_object_get_symbol(c, nullptr, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_get_symbol(c, "&main", nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_iterate_symbols(c, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(CodeObjects, Errors) {
  uint64_t buffer[8];
  void* bytes = nullptr;
  size_t size = 0;
  hsa_code_symbol_t s{};
  hsa_code_object_t c{};
  for (uint64_t handle : garbage_handles) {
    constexpr auto none = HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    c.handle = handle;
    EXPECT_EQ(hsa_code_object_destroy(c), none);
    EXPECT_EQ(hsa_code_object_serialize(c, allocate, {0}, nullptr, &bytes, &size), none);
    EXPECT_EQ(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_TYPE, buffer), none);
    EXPECT_EQ(hsa_code_object_get_symbol(c, "&main", &s), none);
    EXPECT_EQ(hsa_code_object_iterate_symbols(
                  c, [](hsa_code_object_t, hsa_code_symbol_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr),
              none);
    EXPECT_EQ(hsa_executable_load_code_object(executable(), kernel_agent_, c, nullptr), none);
    EXPECT_EQ(hsa_code_symbol_get_info({handle}, HSA_CODE_SYMBOL_INFO_TYPE, buffer),
              HSA_STATUS_ERROR_INVALID_CODE_SYMBOL);
  }
  EXPECT_EQ(hsa_code_object_deserialize(nullptr, 8, nullptr, &c), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_deserialize(buffer, 0, nullptr, &c), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_deserialize(buffer, sizeof(buffer), nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  std::memset(buffer, 0x33, sizeof(buffer));
  EXPECT_EQ(hsa_code_object_deserialize(buffer, sizeof(buffer), nullptr, &c),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(CodeObjects, LoadAndFreeze) {
  const hsa_executable_t e = old_executable();
  const hsa_code_object_t c = code_object(sample());
  EXPECT_EQ(hsa_executable_load_code_object(e, {0}, c, nullptr), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_executable_load_code_object(e, host_, c, nullptr), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  ASSERT_SUCCESS(hsa_executable_load_code_object(e, kernel_agent_, c, ""));
  EXPECT_EQ(hsa_executable_load_code_object(e, kernel_agent_, c, ""),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  ASSERT_SUCCESS(hsa_executable_freeze(e, ""));
  hsa_executable_symbol_t s{};
  ASSERT_SUCCESS(hsa_executable_get_symbol(e, "", "&main", kernel_agent_, 0, &s));
  EXPECT_NE(info<uint64_t>(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT), 0u);
  EXPECT_EQ(contents(symbol(e, "&shared", false)), 111u);
  EXPECT_EQ(contents(symbol(e, "&pointer")), address(symbol(e, "&shared", false)) + 4);
  EXPECT_EQ(hsa_executable_load_code_object(e, kernel_agent_, c, ""), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

/// HSA 1.0 allows code of several programs in one executable, which is linked by names.
TEST_F(CodeObjects, OneCodeObjectMayDefineWhatAnotherDeclares) {
  co::CodeObject user = sample();
  user.program_digest[0] = 8;
  user.variables = {declaration("&shared", co::Allocation::program)};
  user.relocations.clear();
  user.functions.clear();
  user.kernels = {kernel("&other")};
  const hsa_executable_t e = old_executable();
  ASSERT_SUCCESS(hsa_executable_load_code_object(e, kernel_agent_, code_object(user), nullptr));
  EXPECT_FALSE(info<bool>(symbol(e, "&shared", false), HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
  ASSERT_SUCCESS(hsa_executable_load_code_object(e, kernel_agent_, code_object(sample()), nullptr));
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
  EXPECT_TRUE(info<bool>(symbol(e, "&shared", false), HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
  EXPECT_EQ(contents(symbol(e, "&shared", false)), 111u);
  // An executable must not have two definitions of one name.
  co::CodeObject second = sample();
  second.program_digest[0] = 9;
  second.kernels = {kernel("&third")};
  second.functions.clear();
  const hsa_executable_t f = old_executable();
  ASSERT_SUCCESS(hsa_executable_load_code_object(f, kernel_agent_, code_object(sample()), nullptr));
  EXPECT_EQ(hsa_executable_load_code_object(f, kernel_agent_, code_object(second), nullptr),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
}

TEST_F(CodeObjects, TheFirstCodeObjectDecidesTheRoundingMode) {
  co::CodeObject zero = sample();
  zero.rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO;
  const hsa_executable_t e = old_executable();
  ASSERT_SUCCESS(hsa_executable_load_code_object(e, kernel_agent_, code_object(zero), nullptr));
  hsa_default_float_rounding_mode_t mode;
  ASSERT_SUCCESS(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &mode));
  EXPECT_EQ(mode, HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO);
}

TEST_F(CodeObjects, AnExecutableMayBeBornFrozen) {
  hsa_executable_t e{};
  ASSERT_SUCCESS(hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_FROZEN, nullptr, &e));
  executables_.push_back(e);
  EXPECT_EQ(hsa_executable_load_code_object(e, kernel_agent_, code_object(sample()), nullptr),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

}  // namespace
}  // namespace heddle::runtime::test
