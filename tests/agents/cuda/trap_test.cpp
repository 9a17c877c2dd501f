// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages about work-items that have trapped.
#include "agents/cuda/trap.h"

#include <gtest/gtest.h>

#include "codeobject/kernel_abi.h"

namespace heddle::cuda::test {
namespace {

using ptx_kernel::Access;
using ptx_kernel::ErrorRecord;

ErrorRecord record_of(uint32_t reason, uint32_t detail, uint32_t place = 0, uint64_t address = 0) {
  return {ErrorRecord::complete, reason, detail, {1, 2, 3}, {4, 5, 6}, place, address};
}

codeobject::LineTable lines() {
  return {{"a.cl", "b.cl"}, {{.offset = 1, .file = 1, .line = 30}, {.offset = 2, .file = 0, .line = 7}}};
}

std::string message_of(const ErrorRecord& record) { return failure_of(record, "&k", lines()).message; }

TEST(TrapMessages, name_the_work_item_and_the_line) {
  EXPECT_EQ(message_of(record_of(kernel_abi::trap_debugtrap, 9, 1)),
            "kernel &k, work-item (1, 2, 3) of work-group (4, 5, 6), at b.cl:30: debugtrap 9");
  EXPECT_EQ(message_of(record_of(kernel_abi::trap_debugtrap, 9, 2)),
            "kernel &k, work-item (1, 2, 3) of work-group (4, 5, 6), at a.cl:7: debugtrap 9");
}

TEST(TrapMessages, say_nothing_of_lines_that_nobody_knows) {
  const std::string expected = "kernel &k, work-item (1, 2, 3) of work-group (4, 5, 6): debugtrap 9";
  const ErrorRecord record = record_of(kernel_abi::trap_debugtrap, 9);
  EXPECT_EQ(message_of(record), expected);
  EXPECT_EQ(failure_of(record_of(kernel_abi::trap_debugtrap, 9, 1), "&k", {}).message, expected);
}

struct Stray {
  Access access;
  uint64_t address;
  const char* text;
  int status;
};

constexpr Stray strays[] = {
    {{Access::load, Access::global, 4, 16},
     0x1230,
     "a load of 16 bytes at global address 0x1230, which the GPU was not given",
     HSA_STATUS_ERROR_FATAL},
    {{Access::store, Access::flat, 1, 1},
     0x1231,
     "a store of 1 byte at flat address 0x1231, which the GPU was not given",
     HSA_STATUS_ERROR_FATAL},
    {{Access::store, Access::global, 4, 4},
     0x1231,
     "a store of 4 bytes at global address 0x1231, which is no multiple of 4",
     HSA_STATUS_ERROR_FATAL},
    {{Access::atomic, Access::group, 8, 8},
     0x40,
     "an atomic operation of 8 bytes at offset 0x40 of the group segment, which ends before",
     HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{Access::fbarrier, Access::group, 8, 8},
     0x40,
     "an fbarrier of 8 bytes at offset 0x40 of the group segment, which ends before",
     HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{Access::load, Access::private_, 4, 4},
     0x40,
     "a load of 4 bytes at offset 0x40 of the private segment, which ends before",
     HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{Access::load, Access::kernarg, 4, 4},
     0x40,
     "a load of 4 bytes at offset 0x40 of the kernarg segment, which ends before",
     HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
    {{Access::load, Access::variable, 4, 4},
     0x40,
     "a load of 4 bytes at offset 0x40 of a variable, which ends before",
     HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
};

TEST(TrapMessages, describe_stray_accesses) {
  for (const Stray& stray : strays) {
    SCOPED_TRACE(stray.text);
    const auto failure = failure_of(
        record_of(kernel_abi::trap_stray_access, ptx_kernel::word_of(stray.access), 1, stray.address), "&k",
        lines());
    EXPECT_EQ(
        failure.message,
        std::string("kernel &k, work-item (1, 2, 3) of work-group (4, 5, 6), at b.cl:30: ") + stray.text);
    EXPECT_EQ(static_cast<int>(failure.status), stray.status);
    // Systems are told of the address of memory, not of offsets.
    const bool is_memory = stray.status == HSA_STATUS_ERROR_FATAL;
    ASSERT_EQ(failure.fault.has_value(), is_memory);
    if (is_memory) EXPECT_EQ(failure.fault->address, stray.address);
  }
}

/// Records lie in memory that kernels can write.
TEST(TrapMessages, survive_records_of_nonsense) {
  const std::string text = message_of(record_of(kernel_abi::trap_stray_access, UINT32_MAX, UINT32_MAX, 1));
  EXPECT_NE(text.find("an access of 65535 bytes"), std::string::npos) << text;
}

TEST(TrapMessages, tell_how_to_find_the_cause_of_a_fault) {
  for (const Status fault : {Status::illegal_address, Status::misaligned_address,
                             Status::invalid_address_space, Status::launch_failed}) {
    EXPECT_NE(advice_about(fault, false).find("-check-addresses"), std::string_view::npos);
    EXPECT_EQ(advice_about(fault, true), "");
  }
  EXPECT_EQ(advice_about(Status::out_of_memory, false), "");
  EXPECT_EQ(advice_about(Status::process_ended, false), "");
}

}  // namespace
}  // namespace heddle::cuda::test
