// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API, through the shared library as clients use it.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include <hsail/hsail.h>

namespace {

const char* const text =
    "module &m:1:2:$full:$large:$near;\nprog kernel &k(kernarg_u64 %p)\n{\n"
    "  ld_kernarg_align(8)_u64 $d0, [%p];\n  st_global_align(4)_u32 7, [$d0];\n};\n";

void collect(const char* message, size_t length, void* data) {
  static_cast<std::string*>(data)->append(message, length);
}

struct Blob : hsail_blob {
  Blob() : hsail_blob{nullptr, 0} {}
  ~Blob() { hsail_blob_free(this); }
};

struct Program {
  hsail_program_t handle = nullptr;
  Program() { EXPECT_EQ(hsail_program_create(1, 1, 2, &handle), HSAIL_OK); }
  ~Program() { hsail_program_destroy(handle); }
};

TEST(Api, ListsIsasInAFixedOrder) {
  std::vector<std::string> names;
  hsail_isa_info info;
  for (uint32_t i = 0; hsail_isa_at(i, &info); ++i) {
    names.push_back(info.name);
    // The names of GPUs do not tell the size of their wavefronts, which is always the same.
    const size_t at = names.back().rfind(":w");
    const std::string wave = at == std::string::npos ? "32" : names.back().substr(at + 2);
    EXPECT_EQ(std::to_string(info.wavefront_size), wave);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "heddle:x86-64-v4:w16", "heddle:x86-64-v3:w8", "heddle:x86-64-v3:w32", "heddle:x86-64-v4:w32",
                "heddle:x86-64-v4:w4",  "heddle:x86-64-v4:w1", "heddle:x86-64-v3:w4",  "heddle:x86-64-v3:w1",
                "heddle:x86-64-v2:w1",  "heddle:nvptx-sm_120", "heddle:nvptx-sm_100",  "heddle:nvptx-sm_90",
                "heddle:nvptx-sm_80",   "heddle:nvptx-sm_70",  "heddle:hsail:w1",      "heddle:hsail:w2",
                "heddle:hsail:w4",      "heddle:hsail:w8",     "heddle:hsail:w16",     "heddle:hsail:w32",
                "heddle:hsail:w64",     "heddle:hsail:w128",   "heddle:hsail:w256"}));
  EXPECT_FALSE(hsail_isa_at(0, nullptr));
  EXPECT_EQ(hsail_api_version(), static_cast<uint32_t>(HSAIL_API_VERSION));
}

TEST(Api, GoesFromTextToACodeObjectAndBack) {
  Blob brig, again, code;
  std::string messages;
  ASSERT_EQ(hsail_assemble(text, std::strlen(text), "k.hsail", &brig, collect, &messages), HSAIL_OK)
      << messages;
  EXPECT_EQ(hsail_check(brig.data, brig.size, collect, &messages), HSAIL_OK) << messages;
  ASSERT_EQ(hsail_disassemble(brig.data, brig.size, &again, collect, &messages), HSAIL_OK) << messages;
  EXPECT_NE(std::string(static_cast<char*>(again.data), again.size).find("st_global_align(4)_u32"),
            std::string::npos);
  Program program;
  // The size may be left to the module's header, and the bytes need no alignment.
  std::vector<char> shifted(brig.size + 1);
  std::memcpy(shifted.data() + 1, brig.data, brig.size);
  ASSERT_EQ(hsail_program_add_module(program.handle, shifted.data() + 1, SIZE_MAX, collect, &messages),
            HSAIL_OK);
  EXPECT_EQ(hsail_program_add_module(program.handle, brig.data, brig.size, nullptr, nullptr),
            HSAIL_MODULE_ALREADY_INCLUDED);
  for (const char* isa : {"heddle:x86-64-v3:w1", "heddle:hsail:w1"}) {
    Blob object;
    ASSERT_EQ(hsail_program_finalize(program.handle, HSAIL_CODE_OBJECT_BOTH, isa, "-O1 -unknown", nullptr,
                                     &object, collect, &messages),
              HSAIL_OK)
        << messages;
    EXPECT_EQ(std::memcmp(object.data, "\177ELF", 4), 0);
  }
  EXPECT_EQ(hsail_program_finalize(program.handle, HSAIL_CODE_OBJECT_PROGRAM, nullptr, nullptr, nullptr,
                                   &code, collect, &messages),
            HSAIL_OK)
      << messages;
}

TEST(Api, RefusesBadArguments) {
  Blob blob;
  Program program;
  hsail_program_t other = nullptr;
  EXPECT_EQ(hsail_program_create(2, 1, 2, &other), HSAIL_INVALID_ARGUMENT);
  EXPECT_EQ(hsail_program_create(1, 2, 2, &other), HSAIL_INVALID_ARGUMENT);
  EXPECT_EQ(hsail_program_create(1, 1, 3, &other), HSAIL_INVALID_ARGUMENT);
  EXPECT_EQ(hsail_program_create(1, 1, 2, nullptr), HSAIL_INVALID_ARGUMENT);
  EXPECT_EQ(hsail_program_destroy(nullptr), HSAIL_INVALID_PROGRAM);
  EXPECT_EQ(hsail_program_add_module(program.handle, nullptr, 0, nullptr, nullptr), HSAIL_INVALID_ARGUMENT);
  const char junk[128] = "this is no module";
  std::string messages;
  EXPECT_EQ(hsail_program_add_module(program.handle, junk, sizeof junk, collect, &messages),
            HSAIL_INVALID_MODULE);
  EXPECT_FALSE(messages.empty());
  const auto finalize = [&](hsail_code_object_kind kind, const char* isa,
                            const hsail_control_directives* directives) {
    return hsail_program_finalize(program.handle, kind, isa, nullptr, directives, &blob, nullptr, nullptr);
  };
  EXPECT_EQ(finalize(HSAIL_CODE_OBJECT_BOTH, "heddle:no-such-isa", nullptr), HSAIL_INVALID_ISA);
  EXPECT_EQ(finalize(HSAIL_CODE_OBJECT_AGENT, nullptr, nullptr), HSAIL_INVALID_ISA);
  EXPECT_EQ(finalize(static_cast<hsail_code_object_kind>(9), "heddle:hsail:w1", nullptr),
            HSAIL_INVALID_ARGUMENT);
  hsail_control_directives directives = {};
  directives.required_dim = 1;  // not enabled in the mask
  EXPECT_EQ(finalize(HSAIL_CODE_OBJECT_BOTH, "heddle:hsail:w1", &directives), HSAIL_INVALID_ARGUMENT);
  EXPECT_EQ(hsail_assemble("kernel", 6, "x", &blob, nullptr, nullptr), HSAIL_SYNTAX_ERROR);
  hsail_blob_free(nullptr);
}

}  // namespace
