// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/host_atomic.h"

#include <gtest/gtest.h>
#include <hsa/hsa_brig_modifiers.h>

namespace heddle::cuda {
namespace {

struct Case {
  const char* name;
  uint32_t operation;
  bool is_signed;
  uint64_t before, value, second, after;
};

constexpr uint64_t minus_two = ~uint64_t{1};

constexpr Case cases[] = {
    {"ld", HSA_BRIG_ATOMIC_OPERATION_LD, false, 5, 0, 0, 5},
    {"st", HSA_BRIG_ATOMIC_OPERATION_ST, false, 5, 9, 0, 9},
    {"exch", HSA_BRIG_ATOMIC_OPERATION_EXCH, false, 5, 9, 0, 9},
    {"add", HSA_BRIG_ATOMIC_OPERATION_ADD, false, 5, minus_two, 0, 3},
    {"sub", HSA_BRIG_ATOMIC_OPERATION_SUB, false, 5, 3, 0, 2},
    {"and", HSA_BRIG_ATOMIC_OPERATION_AND, false, 6, 3, 0, 2},
    {"or", HSA_BRIG_ATOMIC_OPERATION_OR, false, 6, 3, 0, 7},
    {"xor", HSA_BRIG_ATOMIC_OPERATION_XOR, false, 6, 3, 0, 5},
    {"cas_equal", HSA_BRIG_ATOMIC_OPERATION_CAS, false, 6, 6, 3, 3},
    {"cas_other", HSA_BRIG_ATOMIC_OPERATION_CAS, false, 6, 7, 3, 6},
    {"min_signed", HSA_BRIG_ATOMIC_OPERATION_MIN, true, 6, minus_two, 0, minus_two},
    {"min_unsigned", HSA_BRIG_ATOMIC_OPERATION_MIN, false, 6, minus_two, 0, 6},
    {"max_signed", HSA_BRIG_ATOMIC_OPERATION_MAX, true, 6, minus_two, 0, 6},
    {"max_unsigned", HSA_BRIG_ATOMIC_OPERATION_MAX, false, 6, minus_two, 0, minus_two},
    {"wrapinc", HSA_BRIG_ATOMIC_OPERATION_WRAPINC, false, 6, 7, 0, 7},
    {"wrapinc_at_end", HSA_BRIG_ATOMIC_OPERATION_WRAPINC, false, 7, 7, 0, 0},
    {"wrapdec", HSA_BRIG_ATOMIC_OPERATION_WRAPDEC, false, 6, 7, 0, 5},
    {"wrapdec_at_zero", HSA_BRIG_ATOMIC_OPERATION_WRAPDEC, false, 0, 7, 0, 7},
    {"wrapdec_above", HSA_BRIG_ATOMIC_OPERATION_WRAPDEC, false, 9, 7, 0, 7},
};

class HostAtomics : public ::testing::TestWithParam<Case> {};

TEST_P(HostAtomics, ReturnTheOldValueAndStoreTheNewOne) {
  const Case& c = GetParam();
  const HostAtomic atomic = {c.operation, c.is_signed, c.value, c.second};
  uint64_t wide = c.before;
  EXPECT_EQ(perform_atomic(atomic, &wide, 8), c.before);
  EXPECT_EQ(wide, c.after);
  uint32_t narrow[2] = {static_cast<uint32_t>(c.before), 0x12345678};
  EXPECT_EQ(perform_atomic(atomic, narrow, 4), static_cast<uint32_t>(c.before));
  EXPECT_EQ(narrow[0], static_cast<uint32_t>(c.after));
  EXPECT_EQ(narrow[1], 0x12345678u);
}

INSTANTIATE_TEST_SUITE_P(Operations, HostAtomics, ::testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostAtomic, OfUnknownKindOrSizeDoesNothing) {
  uint64_t memory = 3;
  EXPECT_FALSE(perform_atomic({HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ, false, 1, 0}, &memory, 8));
  EXPECT_FALSE(perform_atomic({HSA_BRIG_ATOMIC_OPERATION_ADD, false, 1, 0}, &memory, 2));
  EXPECT_EQ(memory, 3u);
}

}  // namespace
}  // namespace heddle::cuda
