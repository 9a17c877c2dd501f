// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process that the system restricts. Sandboxes forbid some services of the kernel, and the environment of a
// program that runs with the rights of another user must not be trusted. The program plays the system's part:
// its functions replace those of the C library, also in the libraries that it opens.
#include <hsa/hsa_ext_finalize.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "hsail.h"

namespace {

bool foreign_rights = false;
int refusal = 0;  // errno of process_vm_readv; with 0 it succeeds

}  // namespace

extern "C" {

__attribute__((visibility("default"))) char* secure_getenv(const char* name) noexcept {
  return foreign_rights ? nullptr : getenv(name);
}

__attribute__((visibility("default"))) ssize_t process_vm_readv(pid_t, const iovec* to, unsigned long,
                                                                const iovec* from, unsigned long,
                                                                unsigned long) noexcept {
  errno = refusal;
  if (refusal != 0) return -1;
  std::memcpy(to->iov_base, from->iov_base, from->iov_len);
  return static_cast<ssize_t>(from->iov_len);
}
}

namespace heddle::runtime::test {
namespace {

class Sandbox : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    refusal = GetParam();
    ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                          HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program_));
  }
  void TearDown() override {
    refusal = 0;
    EXPECT_SUCCESS(hsa_ext_program_destroy(program_));
    EXPECT_SUCCESS(hsa_shut_down());
  }
  static std::string text() {
    return "module &m:1:2:$full:$large:$near;\nprog kernel &k(kernarg_u64 %x) {};\n";
  }
  hsa_status_t finalize_to(uint64_t writer) {
    return hsa_ext_program_code_object_finalize(program_, nullptr, {writer});
  }

  hsa_ext_program_t program_{};
};
INSTANTIATE_TEST_SUITE_P(ErrorsOfTheKernel, Sandbox, ::testing::Values(EPERM, ENOSYS));

/// The runtime still detects invalid addresses that clients pass, without reading them directly.
TEST_P(Sandbox, AddressesThatAreNoneAreRefused) {
  for (uint64_t address : {uint64_t{8}, uint64_t{0xdead0000}, uint64_t{0x7fffffffffff}}) {
    EXPECT_EQ(hsa_ext_program_add_module(program_, reinterpret_cast<hsa_ext_module_t>(address)),
              HSA_EXT_STATUS_ERROR_INVALID_MODULE);
    EXPECT_EQ(finalize_to(address), HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  }
}

TEST_P(Sandbox, AddressesOfModulesAndWritersAreAccepted) {
  std::vector<uint64_t> module = assemble(text());
  EXPECT_SUCCESS(hsa_ext_program_add_module(program_, module_of(module)));
  static std::vector<std::byte> bytes;
  const auto allocate = [](size_t size, size_t, void** memory, void*) {
    bytes.resize(size);
    *memory = bytes.data();
    return HSA_STATUS_SUCCESS;
  };
  hsa_ext_code_object_writer_t writer{};
  ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(allocate, nullptr, &writer));
  EXPECT_SUCCESS(finalize_to(reinterpret_cast<uint64_t>(&writer)));
  EXPECT_FALSE(bytes.empty());
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
}

/// Without any such service, the runtime refuses every argument whose address it would have to check.
TEST_P(Sandbox, WithoutPipesNoAddressIsAccepted) {
  std::vector<uint64_t> module = assemble(text());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(hsa_ext_program_add_module(program_, reinterpret_cast<hsa_ext_module_t>(8)),
            HSA_EXT_STATUS_ERROR_INVALID_MODULE);
  EXPECT_EQ(hsa_ext_program_add_module(program_, module_of(module)), HSA_EXT_STATUS_ERROR_INVALID_MODULE);
  EXPECT_EQ(finalize_to(8), HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/// The body of a child process that starts the runtime while all its variables are misleading.
[[noreturn]] void start_with_misleading_variables() {
  setenv("HEDDLE_AGENT_PATH", "/nonexistent", 1);
  setenv("HEDDLE_AGENTS", "nonexistent", 1);
  setenv("HEDDLE_FINALIZER", "/nonexistent", 1);
  setenv("HEDDLE_CPU_NAME", "nonexistent", 1);
  foreign_rights = true;
  EXPECT_SUCCESS(hsa_init());
  std::vector<hsa_agent_t> agents;
  EXPECT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  EXPECT_EQ(agents.size(), 2u) << "the host and the processors, which are shown by default";
  char name[64] = {};
  for (hsa_agent_t agent : agents) {
    EXPECT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name));
    EXPECT_STRNE(name, "nonexistent");
  }
  bool finalizer = false;
  EXPECT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &finalizer));
  EXPECT_TRUE(finalizer);
  EXPECT_SUCCESS(hsa_shut_down());
  std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
}

TEST(ForeignRights, TheEnvironmentSaysNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_with_misleading_variables(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle::runtime::test
