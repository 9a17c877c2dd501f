// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fixture with an HSAIL program, and a writer that keeps its code objects in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "code.h"
#include "hsail.h"

namespace heddle::runtime::test {

class Programs : public Executables {
 protected:
  void SetUp() override {
    Executables::SetUp();
    ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                          HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program_));
    ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(
        [](size_t size, size_t, void** address, void* data) {
          auto* bytes = static_cast<std::vector<std::byte>*>(data);
          bytes->resize(size);
          *address = bytes->data();
          return HSA_STATUS_SUCCESS;
        },
        &written_, &writer_));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer_));
    EXPECT_SUCCESS(hsa_ext_program_destroy(program_));
    Executables::TearDown();
  }

  hsa_ext_program_t program_{};
  hsa_ext_code_object_writer_t writer_{};
  std::vector<std::byte> written_;  ///< the last code object
};

}  // namespace heddle::runtime::test
