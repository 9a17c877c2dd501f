// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that check their addresses (-check-addresses) over the whole runtime: what is stray does not touch
// memory, and the message tells the work-item and the line. The tests run over lowered code on the fake GPU,
// and as they are on a GPU of NVIDIA's (HEDDLE_AGENTS=cuda).
#include <gmock/gmock.h>
#include <hsa/hsa.h>
#include <hsail/hsail.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "gpu_regions.h"
#include "one_dispatch.h"

namespace heddle::cuda::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* checks = "-check-addresses";
constexpr const char* file_name = "checked.hsail";

/// How a dispatch ended.
struct Outcome {
  bool failed = false;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  std::string log;
};

/// What a test runs: a kernel with two addresses in $d0 and $d1, and the flattened ID in $s0 and $d2.
struct Work {
  std::string code;
  uint64_t first = 0, second = 0;
  uint32_t grid = 1, group = 1;
  uint32_t dynamic_group_size = 0;
  const char* options = checks;
  std::string before;     ///< of the module, before the kernel
  std::string variables;  ///< of the kernel
};

/// The text of the module, and the line at which the code of the kernel begins.
std::string text_of(const Work& work, unsigned& line) {
  std::string text = "module &m:1:2:$base:$large:$near;\n" + work.before +
                     "prog kernel &k(kernarg_u64 %first, kernarg_u64 %second) {\n" + work.variables +
                     "  ld_kernarg_align(8)_u64 $d0, [%first];\n"
                     "  ld_kernarg_align(8)_u64 $d1, [%second];\n"
                     "  workitemflatabsid_u32 $s0;\n"
                     "  cvt_u64_u32 $d2, $s0;\n";
  line = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n')) + 1;
  return text + work.code + "\n  ret;\n};\n";
}

std::vector<char> finalized(const Work& work, const std::string& isa) {
  unsigned line = 0;
  const std::string text = text_of(work, line);
  const hsail_diagnostic_callback complain = [](const char* message, size_t length, void*) {
    ADD_FAILURE() << std::string(message, length);
  };
  hsail_blob brig = {}, code = {};
  EXPECT_EQ(hsail_assemble_with_options(text.data(), text.size(), file_name, "-g", &brig, complain, nullptr),
            HSAIL_OK);
  hsail_program_t program = nullptr;
  EXPECT_EQ(hsail_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE,
                                 HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, &program),
            HSAIL_OK);
  EXPECT_EQ(hsail_program_add_module(program, brig.data, brig.size, complain, nullptr), HSAIL_OK);
  EXPECT_EQ(hsail_program_finalize(program, HSAIL_CODE_OBJECT_BOTH, isa.c_str(), work.options, nullptr, &code,
                                   complain, nullptr),
            HSAIL_OK);
  const auto* begin = static_cast<const char*>(code.data);
  std::vector<char> bytes(begin, begin + code.size);
  hsail_blob_free(&code);
  hsail_blob_free(&brig);
  EXPECT_EQ(hsail_program_destroy(program), HSAIL_OK);
  return bytes;
}

class CheckedAddresses : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_LOG", "warning", 1);        // the message about a queue that fails
    setenv("HEDDLE_CHECK_ADDRESSES", "1", 1);  // device memory then is allocated to the byte
    ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    unsetenv("HEDDLE_CHECK_ADDRESSES");
  }
  static void TearDownTestSuite() { EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS); }

  void SetUp() override {
    gpu_ = find_gpu();
    ASSERT_NE(gpu_.handle, 0u) << "no GPU (HEDDLE_AGENTS)";
    isa_ = isa_of(gpu_);
    host_ = find_region(gpu_, HSA_REGION_GLOBAL_FLAG_KERNARG);
    device_ = find_region(gpu_, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  }

  /// Allocates bytes that are freed when the pointer ends.
  using Memory = std::unique_ptr<char, void (*)(char*)>;
  Memory allocate(hsa_region_t from, size_t size) {
    void* memory = nullptr;
    EXPECT_EQ(hsa_memory_allocate(from, size, &memory), HSA_STATUS_SUCCESS);
    return {static_cast<char*>(memory), [](char* p) { EXPECT_EQ(hsa_memory_free(p), HSA_STATUS_SUCCESS); }};
  }
  static uint64_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

  Outcome run(const Work& work);
  /// Runs what must fail: at the `line`-th line of its code, with this message behind the line.
  void expect_failure(const Work& work, unsigned line, const std::string& what,
                      hsa_status_t status = HSA_STATUS_ERROR,
                      const char* item = "(0, 0, 0) of work-group (0, 0, 0)") {
    const Outcome outcome = run(work);
    EXPECT_TRUE(outcome.failed);
    EXPECT_EQ(outcome.status, status);
    unsigned first = 0;
    text_of(work, first);
    EXPECT_THAT(outcome.log, HasSubstr(fmt::format("kernel &k, work-item {}, at {}:{}: {}", item, file_name,
                                                   first + line, what)));
  }
  void expect_success(const Work& work) {
    const Outcome outcome = run(work);
    EXPECT_FALSE(outcome.failed) << outcome.log;
  }

  hsa_agent_t gpu_ = {0};
  std::string isa_;
  hsa_region_t host_ = {0}, device_ = {0};
};

Outcome CheckedAddresses::run(const Work& work) {
  const std::vector<char> code = finalized(work, isa_);
  hsa_code_object_reader_t reader = {0};
  hsa_executable_t executable = {0};
  hsa_executable_symbol_t symbol = {0};
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader), HSA_STATUS_SUCCESS);
  EXPECT_EQ(
      hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable),
      HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_executable_load_program_code_object(executable, reader, nullptr, nullptr),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_executable_load_agent_code_object(executable, gpu_, reader, nullptr, nullptr),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_executable_freeze(executable, nullptr), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_executable_get_symbol_by_name(executable, "&k", &gpu_, &symbol), HSA_STATUS_SUCCESS);
  const Memory kernarg = allocate(host_, 16);
  std::memcpy(kernarg.get(), &work.first, sizeof work.first);
  std::memcpy(kernarg.get() + 8, &work.second, sizeof work.second);
  hsa_kernel_dispatch_packet_t packet = {};
  packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = static_cast<uint16_t>(work.group);
  packet.grid_size_x = work.grid;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernarg_address = kernarg.get();
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object);
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                 &packet.group_segment_size);
  packet.group_segment_size += work.dynamic_group_size;
  hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                 &packet.private_segment_size);
  Outcome outcome;
  ::testing::internal::CaptureStderr();
  {
    const OneDispatch dispatch(gpu_, packet);
    dispatch.wait();
    outcome = {dispatch.error().happened, dispatch.error().status, ""};
  }
  outcome.log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(hsa_executable_destroy(executable), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_code_object_reader_destroy(reader), HSA_STATUS_SUCCESS);
  return outcome;
}

// ---- addresses of memory

TEST_F(CheckedAddresses, allow_every_byte_that_was_given_and_no_other) {
  const std::string code = "  ld_global_u8 $s1, [$d0];\n  st_global_u8 $s1, [$d0];";
  constexpr uint64_t size = 999;
  const Memory memory = allocate(device_, size);
  std::vector<char> own(4 * size);
  ASSERT_EQ(hsa_memory_register(&own[size], size), HSA_STATUS_SUCCESS);
  for (const uint64_t begin : {address(memory.get()), address(&own[size])}) {
    expect_success({.code = code, .first = begin});
    expect_success({.code = code, .first = begin + size - 1});
    for (const uint64_t stray : {begin - 1, begin + size})
      expect_failure(
          {.code = code, .first = stray}, 0,
          fmt::format("a load of 1 byte at global address 0x{:x}, which the GPU was not given", stray));
  }
  EXPECT_EQ(hsa_memory_deregister(&own[size], size), HSA_STATUS_SUCCESS);
}

TEST_F(CheckedAddresses, name_the_work_item) {
  const Memory memory = allocate(device_, 4 * 100);
  const std::string code =
      "  shl_u64 $d2, $d2, 2;\n  add_u64 $d0, $d0, $d2;\n  st_global_align(4)_u32 $s0, [$d0];";
  expect_success({.code = code, .first = address(memory.get()), .grid = 100, .group = 33});
  expect_failure({.code = code, .first = address(memory.get()), .grid = 101, .group = 20}, 2,
                 "a store of 4 bytes at global address", HSA_STATUS_ERROR,
                 "(0, 0, 0) of work-group (5, 0, 0)");
  uint32_t last = 0;
  EXPECT_EQ(hsa_memory_copy(&last, memory.get() + 396, sizeof last), HSA_STATUS_SUCCESS);
  EXPECT_EQ(last, 99u);
}

TEST_F(CheckedAddresses, leave_memory_of_others_alone) {
  std::vector<uint64_t> own(4, 7);
  const uint64_t at = address(own.data());
  expect_failure({.code = "  st_global_align(8)_u64 $d1, [$d0];", .first = at}, 0, "a store of 8 bytes");
  expect_failure({.code = "  st_align(8)_u64 $d1, [$d0];", .first = at}, 0,
                 fmt::format("a store of 8 bytes at flat address 0x{:x}", at));
  expect_failure({.code = "  atomicnoret_add_global_rlx_agent_u64 [$d0], 5;", .first = at}, 0,
                 "an atomic operation of 8 bytes");
  expect_failure({.code = "  atomicnoret_add_global_rlx_system_u64 [$d0], 5;", .first = at}, 0,
                 "an atomic operation of 8 bytes");
  expect_failure({.code = "  atomic_cas_rlx_agent_b32 $s1, [$d0], 7, 5;", .first = at}, 0,
                 "an atomic operation of 4 bytes at flat address");
  EXPECT_EQ(own, std::vector<uint64_t>(4, 7));
}

TEST_F(CheckedAddresses, store_nothing_of_a_vector_of_which_a_part_is_stray) {
  const Memory memory = allocate(device_, 24);
  std::vector<char> ones(24, 1), found(24);
  ASSERT_EQ(hsa_memory_copy(memory.get(), ones.data(), ones.size()), HSA_STATUS_SUCCESS);
  const std::string code = "  st_v4_global_align(4)_u32 ($s0, $s0, $s0, $s0), [$d0];";
  expect_failure({.code = code, .first = address(memory.get()) + 12}, 0,
                 fmt::format("a store of 16 bytes at global address 0x{:x}", address(memory.get()) + 12));
  ASSERT_EQ(hsa_memory_copy(found.data(), memory.get(), found.size()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(found, ones);
  expect_success({.code = code, .first = address(memory.get()) + 8});
  ASSERT_EQ(hsa_memory_copy(found.data(), memory.get(), found.size()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(std::count(found.begin(), found.end(), 0), 16);
}

TEST_F(CheckedAddresses, notice_memory_that_has_been_freed) {
  uint64_t at = 0;
  const std::string code = "  st_global_align(4)_u32 $s0, [$d0];";
  const Memory neighbour = allocate(device_, 256);
  {
    const Memory memory = allocate(device_, 256);
    at = address(memory.get());
    expect_success({.code = code, .first = at});
  }
  expect_failure({.code = code, .first = at}, 0, "a store of 4 bytes");
}

TEST_F(CheckedAddresses, follow_an_address_through_a_loop) {
  const Memory memory = allocate(device_, 4 * 64), other = allocate(device_, 4 * 64);
  const auto code = [](int count) {
    return fmt::format(
        "  mov_b32 $s1, 0;\n@next:\n  ld_global_align(4)_u32 $s2, [$d0];\n"
        "  st_global_align(4)_u32 $s2, [$d1];\n  add_u64 $d0, $d0, 4;\n  add_u64 $d1, $d1, 4;\n"
        "  add_u32 $s1, $s1, 1;\n  cmp_lt_b1_u32 $c0, $s1, {};\n  cbr_b1 $c0, @next;",
        count);
  };
  const uint64_t first = address(memory.get()), second = address(other.get());
  expect_success({.code = code(64), .first = first, .second = second});
  expect_failure({.code = code(65), .first = first, .second = second}, 2,
                 fmt::format("a load of 4 bytes at global address 0x{:x}", first + 256));
  expect_failure({.code = code(64), .first = first, .second = second + 4}, 3,
                 fmt::format("a store of 4 bytes at global address 0x{:x}", second + 256));
}

TEST_F(CheckedAddresses, refuse_what_is_not_aligned_as_the_kernel_says) {
  const Memory memory = allocate(device_, 64);
  const uint64_t at = address(memory.get()) + 2;
  expect_failure({.code = "  ld_global_align(4)_u32 $s1, [$d0];\n  st_global_u32 $s1, [$d0];", .first = at},
                 0, fmt::format("a load of 4 bytes at global address 0x{:x}, which is no multiple of 4", at));
  expect_success({.code = "  ld_global_u32 $s1, [$d0];\n  st_global_u32 $s1, [$d0];", .first = at});
}

TEST_F(CheckedAddresses, read_variables_of_the_module) {
  const Memory memory = allocate(host_, 4);
  expect_success(
      {.code = "  ld_readonly_align(4)_u32 $s1, [&table][$d2];\n  ld_global_align(4)_u32 $s2, "
               "[&sum];\n  add_u32 $s1, $s1, $s2;\n  st_global_align(4)_u32 $s1, [$d0];",
       .first = address(memory.get()),
       .before = "prog readonly_u32 &table[2] = u32[](3, 4);\nprog alloc(agent) global_u32 &sum = 5;\n"});
  EXPECT_EQ(*reinterpret_cast<const uint32_t*>(memory.get()), 8u);
  expect_failure({.code = "  add_u64 $d2, $d2, 4000;\n  ld_readonly_align(4)_u32 $s1, [&table][$d2];\n"
                          "  st_global_align(4)_u32 $s1, [$d0];",
                  .first = address(memory.get()),
                  .before = "prog readonly_u32 &table[2] = u32[](3, 4);\n"},
                 1, "a load of 4 bytes at global address");
}

// ---- offsets in segments

constexpr auto outside = static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);

TEST_F(CheckedAddresses, end_with_the_group_segment) {
  const std::string code =
      "  cvt_u32_u64 $s1, $d1;\n  st_group_align(4)_u32 $s0, [$s1];\n  ld_group_align(4)_u32 $s2, [$s1];\n"
      "  st_global_align(4)_u32 $s2, [$d0];";
  const Memory memory = allocate(host_, 4);
  const std::string before = "group_u32 &g[4];\n";
  const std::string uses = code + "\n  st_group_align(4)_u32 $s2, [&g];";
  const uint64_t at = address(memory.get());
  expect_success({.code = uses, .first = at, .second = 12, .before = before});
  expect_failure({.code = uses, .first = at, .second = 16, .before = before}, 1,
                 "a store of 4 bytes at offset 0x10 of the group segment, which ends before", outside);
  expect_success({.code = uses, .first = at, .second = 16, .dynamic_group_size = 4, .before = before});
  expect_failure({.code = "  st_group_align(8)_u64 $d1, [$s0];", .dynamic_group_size = 4}, 0,
                 "a store of 8 bytes at offset 0x0 of the group segment", outside);
}

TEST_F(CheckedAddresses, are_those_of_fbarriers_too) {
  const std::string code =
      "  cvt_u32_u64 $s1, $d1;\n  initfbar $s1;\n  joinfbar_width(all) $s1;\n  waitfbar_width(all) $s1;\n"
      "  leavefbar_width(all) $s1;\n  barrier;\n  releasefbar $s1;";
  expect_success({.code = code, .group = 1, .dynamic_group_size = 32});
  expect_failure({.code = code, .second = 1 << 16, .group = 1, .dynamic_group_size = 32}, 1,
                 "an fbarrier of 8 bytes at offset 0x10000 of the group segment", outside);
}

TEST_F(CheckedAddresses, end_with_the_segments_behind_flat_addresses) {
  const auto code = [](const char* segment) {
    return fmt::format(
        "  lda_{0}_u32 $s1, [%v];\n  stof_{0}_u64_u32 $d3, $s1;\n"
        "  add_u64 $d3, $d3, $d1;\n  st_align(4)_u32 $s0, [$d3];\n  ld_align(4)_u32 $s2, [$d3];\n"
        "  st_global_align(4)_u32 $s2, [$d0];",
        segment);
  };
  const Memory memory = allocate(host_, 4);
  const uint64_t at = address(memory.get());
  for (const char* segment : {"group", "private"}) {
    const std::string variables = fmt::format("  align(16) {}_u32 %v[64];\n", segment);
    for (const uint64_t distance : {0, 252})
      expect_success({.code = code(segment), .first = at, .second = distance, .variables = variables});
    for (const uint64_t distance : {uint64_t{256}, ~uint64_t{3}})
      expect_failure({.code = code(segment), .first = at, .second = distance, .variables = variables}, 3,
                     "a store of 4 bytes at flat address");
  }
}

TEST_F(CheckedAddresses, end_with_private_variables) {
  const std::string code =
      "  cvt_u32_u64 $s1, $d1;\n  st_private_u32 $s0, [%v][$s1];\n"
      "  ld_private_u32 $s2, [%v][$s1];\n  st_global_align(4)_u32 $s2, [$d0];";
  const Memory memory = allocate(host_, 4);
  const uint64_t at = address(memory.get());
  const std::string variables = "  private_u32 %v[16];\n";
  expect_success({.code = code, .first = at, .second = 60, .variables = variables});
  expect_failure({.code = code, .first = at, .second = 1 << 20, .variables = variables}, 1, "a store of",
                 outside);
}

TEST_F(CheckedAddresses, end_with_the_kernarg_segment) {
  const std::string code =
      "  lda_kernarg_u64 $d3, [%first];\n  add_u64 $d3, $d3, $d1;\n  ld_kernarg_align(8)_u64 $d4, [$d3];\n"
      "  st_global_align(8)_u64 $d4, [$d0];";
  const Memory memory = allocate(host_, 8);
  const uint64_t at = address(memory.get());
  expect_success({.code = code, .first = at, .second = 8});
  EXPECT_EQ(*reinterpret_cast<const uint64_t*>(memory.get()), 8u);
  expect_failure({.code = code, .first = at, .second = uint64_t{1} << 40}, 2,
                 "a load of 8 bytes at flat address");
}

// ---- other traps, and other ways

TEST_F(CheckedAddresses, are_not_needed_for_the_lines_of_other_traps) {
  for (const char* options : {"", checks}) {
    expect_failure({.code = "  mov_b32 $s1, 0;\n  debugtrap_u32 42;", .options = options}, 1, "debugtrap 42",
                   HSA_STATUS_ERROR_EXCEPTION);
    expect_failure({.code = "  cvt_u32_u64 $s1, $d1;\n  alloca_align(4)_u32 $s2, $s1;\n"
                            "  st_private_align(4)_u32 $s0, [$s2];\n  ld_private_align(4)_u32 $s3, [$s2];\n"
                            "  st_global_align(4)_u32 $s3, [$d0];",
                    .second = 1 << 24,
                    .options = options},
                   1, "a private segment of", HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  }
}

TEST_F(CheckedAddresses, can_be_the_default) {
  setenv("HEDDLE_CHECK_ADDRESSES", "1", 1);
  uint64_t own = 7;
  expect_failure({.code = "  st_global_align(8)_u64 $d1, [$d0];", .first = address(&own), .options = nullptr},
                 0, "a store of 8 bytes");
  EXPECT_EQ(own, 7u);
  unsetenv("HEDDLE_CHECK_ADDRESSES");
}

TEST_F(CheckedAddresses, hold_at_every_level_of_optimisation) {
  const Memory memory = allocate(device_, 16);
  const std::string code =
      "  ld_v2_global_align(4)_u32 ($s1, $s2), [$d0];\n  st_v2_align(4)_u32 ($s2, $s1), [$d0];";
  for (const char* options :
       {"-O0 -check-addresses", "-O1 -check-addresses", "-O3 -check-addresses", "-g -check-addresses"}) {
    SCOPED_TRACE(options);
    expect_success({.code = code, .first = address(memory.get()) + 8, .options = options});
    expect_failure({.code = code, .first = address(memory.get()) + 12, .options = options}, 0,
                   "a load of 8 bytes");
  }
}

/// The group of a stray work-item goes on, or ends: nobody waits for ever.
TEST_F(CheckedAddresses, do_not_let_others_wait_for_a_work_item_that_has_ended) {
  const Memory memory = allocate(device_, 4 * 64);
  expect_failure({.code = "  shl_u64 $d2, $d2, 2;\n  add_u64 $d0, $d0, $d2;\n  barrier;\n"
                          "  st_global_align(4)_u32 $s0, [$d0];\n  barrier;",
                  .first = address(memory.get()),
                  .grid = 65,
                  .group = 65},
                 3, "a store of 4 bytes", HSA_STATUS_ERROR, "(64, 0, 0) of work-group (0, 0, 0)");
}

TEST_F(CheckedAddresses, look_into_functions) {
  const Memory memory = allocate(device_, 16);
  const std::string function =
      "function &f(arg_u32 %out)(arg_u64 %at) {\n  ld_arg_align(8)_u64 $d0, [%at];\n"
      "  ld_global_align(4)_u32 $s0, [$d0];\n  st_arg_align(4)_u32 $s0, [%out];\n};\n";
  const std::string code =
      "  {\n  arg_u32 %out;\n  arg_u64 %at;\n  st_arg_align(8)_u64 $d1, [%at];\n  call &f(%out)(%at);\n"
      "  ld_arg_align(4)_u32 $s1, [%out];\n  }\n  st_global_align(4)_u32 $s1, [$d0];";
  const uint64_t at = address(memory.get());
  expect_success({.code = code, .first = at, .second = at + 12, .before = function});
  const Outcome outcome = run({.code = code, .first = at, .second = at + 16, .before = function});
  EXPECT_THAT(outcome.log, HasSubstr("at checked.hsail:4: a load of 4 bytes at global address"));
}

}  // namespace
}  // namespace heddle::cuda::test
